"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def write_whole(path: Path, content: str | bytes, private: bool = False) -> None:
    """Writes a file so that whoever looks sees all of it, or what was there before.

    Args:
        path: the file; its folder is made if needed.
        content: text is written in UTF-8.
        private: nobody else on the machine may read it.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        partial.touch(0o600 if private else 0o666, exist_ok=False)
        partial.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
