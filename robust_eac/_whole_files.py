"""Write files whole or not at all."""

import os
import shutil
import uuid
from contextlib import ExitStack, contextmanager
from pathlib import Path


def write_files(writers):
    """Write files, {path: function that writes to a binary file}, all or none: each under a temporary name first.

    After an OSError no file has changed, unless a rename failed; renames need no space, and come last. A killed process
    can leave a `.robust-eac-*.tmp` beside its output.
    """
    staged = []
    with ExitStack() as cleanup:
        for output, write in writers.items():
            # Replace the file that a link points to, not the link.
            target = Path(os.path.realpath(output))
            temporary = target.with_name(f".robust-eac-{uuid.uuid4().hex}.tmp")
            cleanup.callback(temporary.unlink, missing_ok=True)
            with _naming(output), open(temporary, "xb") as handle:
                write(handle)
                handle.flush()
                os.fsync(handle.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            staged.append((output, temporary, target))
        for output, temporary, target in staged:
            with _naming(output):
                os.replace(temporary, target)


@contextmanager
def _naming(output):
    """Name the file in an OSError: a full disk does not say which file did not fit."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{output}: cannot be written: {error.strerror or error}.") from error
