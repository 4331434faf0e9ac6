"""`stoa` on a machine that lets a program have 200 open files."""

import resource

from stoa.__main__ import run

resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))

if __name__ == "__main__":
    run()
