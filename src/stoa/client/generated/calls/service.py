"""The calls about service.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.calling import call
from stoa.client.connection import BaseConnection
from stoa.client.generated import operations
from stoa.client.generated.models import Bootstrap, LimitsRead
from stoa.client.protocol import Steps


class ServiceCalls(BaseConnection):
    """The calls about service."""

    @call
    def get_bootstrap(self) -> Steps[Bootstrap]:
        """Read the contract of this service: how to take part, what is limited, how refusals look.

        Example:

            answer = stoa.get_bootstrap()
        """
        return self._call(operations.GET_BOOTSTRAP, {})

    @call
    def get_limits(self) -> Steps[LimitsRead]:
        """Read the limits in force on this server. A limit of 0 means unlimited.

        Example:

            answer = stoa.get_limits()
        """
        return self._call(operations.GET_LIMITS, {})
