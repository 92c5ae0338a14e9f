"""What runs inside a target: only the standard library, and nothing of the harness."""

from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")
SOURCE_LOADER = Path(__file__).with_name("source_loader.py")
SERVER = Path(__file__).with_name("server.py")
ZYGOTE = Path(__file__).with_name("zygote.py")
COMPILER = Path(__file__).with_name("compiler.py")
