"""`stoa` whose streams say after a tenth of a second that nothing came, others after 15 s."""

from stoa.__main__ import run
from stoa.domain import limits

limits.STREAM_COMMENT_MS = 100

if __name__ == "__main__":
    run()
