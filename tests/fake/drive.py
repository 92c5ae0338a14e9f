"""Run a suite in a process of its own, to be interrupted from outside: ``python -m fake.drive ROOT SUITE``."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from adk_probe.errors import ProbeError
from adk_probe.plan import Choice
from fake import project


def main() -> int:
    """Return the exit code that the command would end with."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = project.run(Path(sys.argv[1]), Choice(suite=sys.argv[2]))
    except KeyboardInterrupt:
        return 130
    except ProbeError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 3 if "trouble" in done.states else 0


if __name__ == "__main__":
    sys.exit(main())
