"""Time and memory of the library, alone and beside other packages."""
