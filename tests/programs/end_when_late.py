"""`python end_when_late.py PROCESS FILE`: aborts a process that goes on for too long.

The file is a descriptor; in it stands until when the process may go on, by the clock of
`time.monotonic`, or 0: for ever.
"""

import mmap
import os
import select
import signal
import sys
import time

_EVERY_S = 1


def main() -> None:
    """Watch until the end of the input."""
    process, file = map(int, sys.argv[1:])
    until = memoryview(mmap.mmap(file, 8, prot=mmap.PROT_READ)).cast("d")
    while not select.select([0], [], [], _EVERY_S)[0]:
        if 0 < until[0] < time.monotonic():
            os.kill(process, signal.SIGABRT)
            return


if __name__ == "__main__":
    main()
