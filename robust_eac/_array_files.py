"""Arrays in .npy, .npz and .mat files; nothing in them is ever executed."""

import zipfile
import zlib

import numpy as np


def read_array(path, variable):
    """Array of numbers or texts in a file, whose suffix must be one of `ARRAY_SUFFIXES`."""
    try:
        open(path, "rb").close()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}.") from error
    return _READERS[path.suffix.lower()](path, variable)


def _read_npy(path, variable):
    if variable is not None:
        raise ValueError(f"{path}: variable is for .npz and .mat files, an .npy file holds one array.")
    # Mapped: a header that promises more than the file holds is an error instead of a large array.
    return _checked(path, _attempt(path, lambda: np.load(path, mmap_mode="r", allow_pickle=False)))


def _read_npz(path, variable):
    archive = _attempt(path, lambda: np.load(path, allow_pickle=False))
    if isinstance(archive, np.ndarray):
        raise ValueError(f"{path}: an .npy file by its content, name it so.")
    with archive:
        name = _choose(path, variable, dict.fromkeys(archive.files, ""))
        return _checked(path, _attempt(path, lambda: archive[name]))


def _read_mat(path, variable):
    from scipy.io import loadmat, whosmat

    found = _attempt(path, lambda: whosmat(path))
    shapes = {name: f" ({' x '.join(map(str, shape))} {kind})" for name, shape, kind in found}
    name = _choose(path, variable, shapes)
    return _checked(path, _attempt(path, lambda: loadmat(path, variable_names=[name])[name]))


def _attempt(path, read):
    """What `read` returns; whatever goes wrong in a foreign reader is a fault of the file."""
    try:
        return read()
    except MemoryError:
        raise
    except NotImplementedError as error:
        # scipy's for HDF5.
        raise ValueError(f"{path}: a MATLAB 7.3 file; save it with '-v7', or as .npy or CSV.") from error
    except (OSError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise ValueError(f"{path}: cannot be read: {reason}.") from error


def _choose(path, variable, described):
    """The variable that was asked for, or the only one."""
    listed = ", ".join(f"{name}{description}" for name, description in described.items()) or "none"
    if variable is not None:
        if variable not in described:
            raise ValueError(f"{path}: no variable {variable!r}; there are: {listed}.")
        return variable
    if len(described) != 1:
        raise ValueError(f"{path}: which array? --variable (of a truth: --truth-column) takes one of: {listed}.")
    return next(iter(described))


def _checked(path, array):
    """A plain array of numbers or texts."""
    if isinstance(array, np.ndarray) and array.dtype.kind == "O":
        array = _texts_of_cells(path, array)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufUS":
        kind = getattr(array, "dtype", None) if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{path}: a full matrix of numbers or texts is needed, got {kind}.")
    if array.dtype.kind == "S":
        array = _attempt(path, lambda: np.char.decode(array, "utf-8"))
    return array


def _texts_of_cells(path, array):
    """Texts of a cell array of MATLAB; an empty cell is an empty text."""
    cells = [np.asarray(cell) for cell in array.flat]
    if any(cell.size > 1 or (cell.size and cell.dtype.kind != "U") for cell in cells):
        raise ValueError(f"{path}: a cell array must hold one text per cell.")
    texts = [str(cell.item()) if cell.size else "" for cell in cells]
    return np.array(texts, dtype=str).reshape(array.shape)


_READERS = {".npy": _read_npy, ".npz": _read_npz, ".mat": _read_mat}
ARRAY_SUFFIXES = tuple(_READERS)
