"""The entry: ``adk-probe`` and ``python -m adk_probe``.

Ready for an interruption before anything is imported that takes time, and until the process is gone: there is one
message and exit code 130, never a traceback.
"""

# built into the interpreter and in memory already; `signal` would import `enum` first
import _signal  # type: ignore[import-not-found]
import os
import sys

INTERRUPTED = 130
KEPT = "interrupted; what was finished is kept, and the next run goes on from there\n"
# whether a command is at work, which has things to put away: workers to end, files of which a part is written
_at_work = False


def main() -> None:
    """Run the command and end the process with its exit code."""
    for number in (_signal.SIGINT, _signal.SIGTERM):
        # who starts it with a signal ignored, as `nohup` and a shell's `&` do, wants it so
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, _interrupt)
    sys.unraisablehook = _unraisable
    code = _run()
    # all is done, and what Python has to put away takes no harm from being waited for
    for number in (_signal.SIGINT, _signal.SIGTERM):
        _signal.signal(number, _signal.SIG_IGN)
    if code == INTERRUPTED:
        _tell()
    sys.exit(code)


def _run() -> int:
    global _at_work
    try:
        try:
            from adk_probe.cli import app

            _at_work = True
            return app.main()
        finally:
            _at_work = False
    except KeyboardInterrupt:
        return INTERRUPTED


def _interrupt(*_: object) -> None:
    """Let a command clean up; where there is none, or on the second signal, end at once."""
    global _at_work
    if not _at_work:
        _end()
    _at_work = False
    raise KeyboardInterrupt


def _unraisable(seen: "sys.UnraisableHookArgs") -> None:
    # raised where Python can only tell of it and go on, as in a destructor: the command would never know
    if issubclass(seen.exc_type, KeyboardInterrupt):
        _end()
    sys.__unraisablehook__(seen)


def _end() -> None:
    _tell()
    os._exit(INTERRUPTED)


def _tell() -> None:
    # by the descriptor, since the file object may be in the middle of a line; without one 2 may be any other file
    if sys.__stderr__ is None:
        return
    try:  # noqa: SIM105 - contextlib is not in memory yet
        os.write(2, KEPT.encode())
    except OSError:
        pass


if __name__ == "__main__":
    main()
