"""Write files whole or not at all."""

import os
import shutil
import sys
import uuid
import zlib
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def write_files(writers):
    """Write files, {path: function that writes to a binary file}, all or none: each under a temporary name first.

    After an OSError no file has changed, unless a rename failed; renames need no space, and come last. A killed process
    can leave a `.robust-eac-*.tmp`, which is removed when the same file is written again; a lock (flock) shows whether
    the process is alive, except on Windows and on file systems without locks.
    """
    staged = []
    with ExitStack() as cleanup:
        for output, write in writers.items():
            # Replace the file that a link points to, not the link.
            target = Path(os.path.realpath(output))
            with _naming(output):
                _remove_leftovers(target)
                temporary = _create_temporary(target, cleanup)
                with open(temporary, "wb") as handle:
                    write(handle)
                    handle.flush()
                    os.fsync(handle.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            staged.append((output, temporary, target))
        for output, temporary, target in staged:
            with _naming(output):
                os.replace(temporary, target)


def temporary_path(target):
    """A new name in the folder of a file."""
    return target.with_name(_temporary_name(target, uuid.uuid4().hex))


def _temporary_name(target, unique):
    return f".robust-eac-{zlib.crc32(os.fsencode(target.name)):08x}-{unique}.tmp"


def _create_temporary(target, cleanup):
    """A new file, locked until the cleanup, which removes it."""
    while True:
        path = temporary_path(target)
        cleanup.callback(path.unlink, missing_ok=True)
        with open(path, "xb") as handle:
            if sys.platform == "win32":
                return path
            # The lock lasts until the last descriptor is closed.
            cleanup.callback(os.close, os.dup(handle.fileno()))
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
        # Before it was locked, another process may have removed it as a leftover.
        if path.exists():
            return path


def _remove_leftovers(target):
    """Remove the temporary files of a target that no process has locked."""
    if sys.platform == "win32":
        return
    for path in target.parent.glob(_temporary_name(target, "*")):
        # It may be locked, already removed, or not ours to remove.
        with suppress(OSError), open(path, "r+b") as leftover:
            fcntl.flock(leftover, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


@contextmanager
def _naming(output):
    """Name the file in an OSError: a full disk does not say which file did not fit."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{output}: cannot be written: {error.strerror or error}.") from error
