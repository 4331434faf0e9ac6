"""Settings without the limits on how much one may do."""

from typing import Any

from stoa.settings import Settings

LIMITS_OFF: dict[str, Any] = {
    name: 0 for name in Settings.__struct_fields__ if name.startswith("limit_")
}
"""Settings of a server that refuses no call for being one too many."""
