"""Files that are written whole or not at all."""

import os
import shutil
import uuid
from contextlib import contextmanager
from pathlib import Path


def write_files(writers):
    """Write files, all of them or none: each to a temporary file beside it, which then replaces it.

    Parameters
    ----------
    writers : dict of path to callable
        Each writes to the binary file that it is given.

    Raises
    ------
    OSError
        If a file cannot be written. Then no file has changed, unless a rename failed: renames need no space, and come
        last, one file after the other.

    Notes
    -----
    A process that is killed leaves the files as they were, and perhaps a `.robust-eac-*.tmp` beside them.
    """
    staged = []
    try:
        for output, write in writers.items():
            # A link stays a link: replace the file that it points to.
            target = Path(os.path.realpath(output))
            temporary = temporary_path(target)
            staged.append((output, temporary, target))
            with _naming(output), open(temporary, "xb") as handle:
                write(handle)
                handle.flush()
                os.fsync(handle.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
        for output, temporary, target in staged:
            with _naming(output):
                os.replace(temporary, target)
    finally:
        for _, temporary, _ in staged:
            temporary.unlink(missing_ok=True)


def temporary_path(target):
    """A new name in the folder of a file."""
    return target.with_name(f".robust-eac-{uuid.uuid4().hex}.tmp")


@contextmanager
def _naming(output):
    """Name the file in an OSError: a full disk does not say which file it had no room for."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{output}: cannot be written: {error.strerror or error}.") from error
