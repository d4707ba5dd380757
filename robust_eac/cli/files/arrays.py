"""Arrays in .npy, .npz and .mat files, and tables in .parquet files; no code in them is ever run."""

import numpy as np


def read_array(path, variable):
    """(cells, titles or None) of a file whose suffix is one of `ARRAY_SUFFIXES`, as :class:`.tables.Table` has them."""
    attempt(path, lambda: open(path, "rb").close())
    suffix = path.suffix.lower()
    if variable is not None and suffix not in (".npz", ".mat"):
        held = "an .npy file holds one array" if suffix == ".npy" else "a .parquet file holds one table"
        raise ValueError(f"{path}: --variable applies to .npz and .mat files only, {held}.")
    found = _READERS[suffix](path, variable)
    return found if suffix == ".parquet" else (_cells(path, found), None)


def _read_npy(path, variable):
    # Memory-mapped, so that a false shape in the header is an error and not a huge allocation.
    return attempt(path, lambda: np.load(path, mmap_mode="r", allow_pickle=False))


def _read_npz(path, variable):
    archive = attempt(path, lambda: np.load(path, allow_pickle=False))
    if isinstance(archive, np.ndarray):
        raise ValueError(f"{path}: the content is that of an .npy file; rename it.")
    with archive:
        name = _choose(path, variable, dict.fromkeys(archive.files, ""))
        return attempt(path, lambda: archive[name])


def _read_mat(path, variable):
    from scipy.io import loadmat, whosmat

    found = attempt(path, lambda: whosmat(path))
    shapes = {name: f" ({' x '.join(map(str, shape))} {kind})" for name, shape, kind in found}
    name = _choose(path, variable, shapes)
    return attempt(path, lambda: loadmat(path, variable_names=[name])[name])


def _read_parquet(path, variable):
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    table, columns = attempt(path, lambda: ParquetFile(path).read()), []
    if not table.num_rows or not table.num_columns:
        raise ValueError(f"{path}: must hold rows and columns, got {table.num_rows} x {table.num_columns}.")
    for number, column in enumerate(table.columns, start=1):
        try:
            # Truth values are numbers, as in an array.
            cells = column.cast("int8") if pa.types.is_boolean(column.type) else column
            columns.append(cells.cast("string").fill_null(""))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ValueError(f"{path}, column {number}: must hold numbers or texts, got {column.type}.") from error
    return columns, table.column_names


def attempt(path, read):
    """What `read` returns; any exception of a library's reader means that the file is bad."""
    try:
        return read()
    except MemoryError:
        raise
    except NotImplementedError as error:
        # SciPy raises this for HDF5.
        raise ValueError(
            f"{path}: MATLAB 7.3 files are not supported; save it with '-v7', or as .npy or CSV."
        ) from error
    except Exception as error:
        text = getattr(error, "strerror", None) or str(error)
        reason = " ".join(text.split()).rstrip(".") or type(error).__name__
        if "Object arrays" in reason or "Python objects" in reason:
            reason = (
                "it holds Python objects (dtype object), which could run code; save an array of numbers or texts "
                "instead, with array.astype(float) or array.astype(str)"
            )
        raise ValueError(f"{path}: cannot be read: {reason}.") from error


def _choose(path, variable, described):
    """The variable asked for, or the only one."""
    listed = ", ".join(f"{name}{description}" for name, description in described.items()) or "none"
    if variable is not None:
        if variable not in described:
            raise ValueError(f"{path}: no variable {variable!r}; the file has: {listed}.")
        return variable
    if len(described) != 1:
        raise ValueError(f"{path}: --variable (for --truth, --truth-column) must name one of: {listed}.")
    return next(iter(described))


def _cells(path, array):
    """A matrix of numbers in the machine's order, or the columns of a matrix of texts; bytes are decoded."""
    if isinstance(array, np.ndarray) and array.dtype.kind == "O":
        array = _texts_of_cells(path, array)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufUS":
        kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{path}: must hold a dense matrix of numbers or texts, got {kind}.")
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{path}: must hold a non-empty matrix with one row per object, got shape {array.shape}.")
    if array.dtype.kind in "biuf":
        return np.array(array, dtype=array.dtype.newbyteorder("="), order="C")
    import pyarrow as pa

    texts = attempt(path, lambda: np.char.decode(array, "utf-8")) if array.dtype.kind == "S" else array
    return attempt(path, lambda: [pa.chunked_array([column.tolist()], pa.string()) for column in texts.T])


def _texts_of_cells(path, array):
    """Texts of a MATLAB cell array; an empty cell is an empty text."""
    cells = [np.asarray(cell) for cell in array.flat]
    if any(cell.size > 1 or (cell.size and cell.dtype.kind != "U") for cell in cells):
        raise ValueError(f"{path}: a cell array must hold one text per cell.")
    texts = [str(cell.item()) if cell.size else "" for cell in cells]
    return np.array(texts, dtype=str).reshape(array.shape)


_READERS = {".npy": _read_npy, ".npz": _read_npz, ".mat": _read_mat, ".parquet": _read_parquet}
ARRAY_SUFFIXES = tuple(_READERS)
