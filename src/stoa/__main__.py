"""The command `stoa`, installed or as `python -m stoa`, and how Ctrl-C ends it at any moment."""

import signal
import sys
from contextlib import suppress


def run() -> None:
    """Run the command; Ctrl-C, also while the program is still loaded, is one line on stderr.

    The process then ends by SIGINT itself, which is 130 to a shell and ends a loop around it too.
    """
    try:
        from stoa.cli import main

        main.run()
    except KeyboardInterrupt:
        sys.stderr.write("stoa: interrupted\n")
        with suppress(OSError):  # nobody may read it any more
            sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    run()
