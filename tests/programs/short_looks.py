"""`stoa` that looks at three rows for a page, where others look at 10,000."""

from stoa.__main__ import run
from stoa.domain import limits

limits.PAGE_ROWS_SEEN = 3
limits.WAIT_LOOK_MS = 10

if __name__ == "__main__":
    run()
