"""`python end_when_late.py PROCESS`: aborts a process that does not write its next line in time.

Each line of the standard input says how many seconds there are until the next; 0: any number.
"""

import os
import select
import signal
import sys


def main() -> None:
    """Watch until the end of the input."""
    process, seconds = int(sys.argv[1]), 0.0
    while select.select([0], [], [], seconds or None)[0]:
        lines = os.read(0, 1000).splitlines()
        if not lines:
            return
        seconds = float(lines[-1])
    os.kill(process, signal.SIGABRT)


if __name__ == "__main__":
    main()
