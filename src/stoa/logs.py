"""Logging: one line of JSON per event on stderr, without secrets and bodies."""

import logging
import sys

import structlog


def configure_logs(level: str) -> None:
    """Send structlog and the standard library's loggers to stderr at `level`."""
    number = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(stream=sys.stderr, level=number, format="%(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(number),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
