"""``python -m adk_probe`` is ``adk-probe``."""

from adk_probe.cli import main

if __name__ == "__main__":
    main()
