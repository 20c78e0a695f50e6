"""Remove files, and what is in folders, by name; missing ones are passed over."""

import shutil
import sys
from pathlib import Path

for path in map(Path, sys.argv[1:]):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    print(f"Removed {path}")
