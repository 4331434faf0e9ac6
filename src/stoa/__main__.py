"""The command `stoa`, installed or as `python -m stoa`, and how Ctrl-C ends it."""

import os
import sys


def run() -> None:
    """Run the command; Ctrl-C, also while the program is still loaded, is one line on stderr.

    The process then ends by SIGINT itself, which is 130 to a shell and ends a loop around it too.
    """
    try:
        from stoa.cli import main

        main.run()
    except KeyboardInterrupt:
        _end_by_signal()


def _end_by_signal() -> None:
    # Loaded here, so that the interpreter comes to the above sooner.
    import signal
    from contextlib import suppress

    with suppress(OSError):  # the reader has closed the pipe
        os.write(2, b"stoa: interrupted\n")
    with suppress(OSError, ValueError, AttributeError):  # or that was closed, or never open
        sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    run()
