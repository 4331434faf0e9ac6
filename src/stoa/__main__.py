"""The command `stoa`, installed or as `python -m stoa`, and how Ctrl-C ends it."""

import os
import sys
from typing import Any, NoReturn


def run() -> None:
    """Run the command; Ctrl-C, also while the program is still loaded, is one line on stderr.

    The process then ends by SIGINT itself, which is 130 to a shell and ends a loop around it too.
    """
    try:
        import signal

        raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if raises:
            # While modules are loaded an exception can be lost, in a callback of the import system.
            signal.signal(signal.SIGINT, _end_by_signal)
        from stoa.cli import serve_flags

        flags = serve_flags.read(sys.argv[1:])
        if flags is None:
            from stoa.cli import main

            if raises:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            main.leave_processor()
            main.run()
        _serve(flags)
    except KeyboardInterrupt:
        _end_by_signal()


def _serve(flags: dict[str, Any]) -> NoReturn:
    from functools import partial

    from stoa.cli import serving
    from stoa.cli.ending import end_with

    end_with(partial(serving.serve, flags, flags.pop("config", None)))


def _end_by_signal(*_: object) -> None:
    # Loaded here, so that the interpreter comes to the above sooner.
    import signal
    from contextlib import suppress

    with suppress(OSError):  # the reader has closed the pipe
        os.write(2, b"stoa: interrupted\n")
    # Or that was closed, never open, or is written to just now.
    with suppress(OSError, ValueError, AttributeError, RuntimeError):
        sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    run()
