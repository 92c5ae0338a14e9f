"""How much of the disk is free."""

from __future__ import annotations

import shutil
from pathlib import Path

GIGABYTE = 10**9


def shortage(folder: Path, floor: float) -> str:
    """Return in words that less than ``floor`` gigabytes are free where a folder is; empty where there is enough."""
    try:
        free = shutil.disk_usage(folder).free / GIGABYTE
    except OSError:
        # what cannot be asked is found out by writing
        return ""
    return f"{free:.1f} GB of the disk are free, and [settings] disk-floor is {floor:g}" if free < floor else ""
