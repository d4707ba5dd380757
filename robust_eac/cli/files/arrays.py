"""Arrays in .npy, .npz and .mat files; no code in them is ever run."""

import numpy as np


def read_array(path, variable):
    """Array of numbers or texts in a file whose suffix is one of `ARRAY_SUFFIXES`."""
    _attempt(path, lambda: open(path, "rb").close())
    return _checked(path, _READERS[path.suffix.lower()](path, variable))


def _read_npy(path, variable):
    if variable is not None:
        raise ValueError(f"{path}: --variable applies to .npz and .mat files only, an .npy file holds one array.")
    # Memory-mapped, so that a false shape in the header is an error and not a huge allocation.
    return _attempt(path, lambda: np.load(path, mmap_mode="r", allow_pickle=False))


def _read_npz(path, variable):
    archive = _attempt(path, lambda: np.load(path, allow_pickle=False))
    if isinstance(archive, np.ndarray):
        raise ValueError(f"{path}: the content is that of an .npy file; rename it.")
    with archive:
        name = _choose(path, variable, dict.fromkeys(archive.files, ""))
        return _attempt(path, lambda: archive[name])


def _read_mat(path, variable):
    from scipy.io import loadmat, whosmat

    found = _attempt(path, lambda: whosmat(path))
    shapes = {name: f" ({' x '.join(map(str, shape))} {kind})" for name, shape, kind in found}
    name = _choose(path, variable, shapes)
    return _attempt(path, lambda: loadmat(path, variable_names=[name])[name])


def _attempt(path, read):
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


def _checked(path, array):
    """The array, if it holds numbers or texts; bytes are decoded."""
    if isinstance(array, np.ndarray) and array.dtype.kind == "O":
        array = _texts_of_cells(path, array)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufUS":
        kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{path}: must hold a dense matrix of numbers or texts, got {kind}.")
    return _attempt(path, lambda: np.char.decode(array, "utf-8")) if array.dtype.kind == "S" else array


def _texts_of_cells(path, array):
    """Texts of a MATLAB cell array; an empty cell is an empty text."""
    cells = [np.asarray(cell) for cell in array.flat]
    if any(cell.size > 1 or (cell.size and cell.dtype.kind != "U") for cell in cells):
        raise ValueError(f"{path}: a cell array must hold one text per cell.")
    texts = [str(cell.item()) if cell.size else "" for cell in cells]
    return np.array(texts, dtype=str).reshape(array.shape)


_READERS = {".npy": _read_npy, ".npz": _read_npz, ".mat": _read_mat}
ARRAY_SUFFIXES = tuple(_READERS)
