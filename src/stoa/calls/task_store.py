"""The store of A2A tasks beside the operations: push configurations, and when jobs changed."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from stoa.calls import posted_tokens
from stoa.calls.authenticate import Authenticator
from stoa.calls.outages import Outages, check_counted
from stoa.domain.errors import Refusal
from stoa.limits.charge import Charges
from stoa.operations.call import Caller, Services
from stoa.operations.parts import push_configs
from stoa.operations.parts.buckets import Charge
from stoa.operations.parts.push_configs import AskedPush
from stoa.operations.table import TABLE
from stoa.operations.webhooks import create_webhook
from stoa.store import jobs
from stoa.store.tx import Store
from stoa.store.webhooks import WebhookRow


@dataclass(frozen=True, slots=True)
class TaskStore:
    """Push configurations, which are charged like webhooks, and the times of changes."""

    store: Store
    services: Services
    authenticator: Authenticator
    charges: Charges
    outages: Outages

    async def put(self, asked: AskedPush, authorization: str | None, address: str) -> Charge:
        """Set one for the agent of a token; the charge. Raises a refusal."""
        caller = await self.authenticator.check(authorization, address)
        charge = await self.charges.take(TABLE[create_webhook.__name__], caller, address)
        assert charge
        self.charges.checked(charge)
        try:
            check_counted(charge)
            await self._put(asked, caller)
        except Refusal:
            self.charges.checked(await self.charges.give_back(charge, caller, address))
            raise
        return charge

    async def _put(self, asked: AskedPush, caller: Caller) -> None:
        wanted = asked.proof
        members: list[tuple[str, Any]] = [
            ("id", asked.config_id),
            ("url", asked.url),
            ("token", wanted.token),
            ("authentication.scheme", wanted.scheme),
            ("authentication.credentials", wanted.credentials),
        ]
        await posted_tokens.refuse(self.store, members, str)
        put = partial(push_configs.put, services=self.services, caller=caller, asked=asked)
        await self.outages.answered("a2a", self.store.write(put))

    async def of_task(
        self, task_id: str, authorization: str | None, address: str
    ) -> tuple[list[WebhookRow], Charge]:
        """The configurations of the agent of a token for a task, and the charge."""
        caller, charge = await self.authenticator.reader(authorization, address)
        find = partial(push_configs.of_task, agent_id=caller.agent_id, task_id=task_id)
        return await self.outages.answered("a2a", self.store.read(find, single=True)), charge

    async def delete(
        self, task_id: str, config_id: str, authorization: str | None, address: str
    ) -> Charge:
        """Delete one of the agent of a token; the charge."""
        caller, charge = await self.authenticator.reader(authorization, address)
        named = {"task_id": task_id, "config_id": config_id}
        delete = partial(push_configs.delete, services=self.services, caller=caller, **named)
        await self.outages.answered("a2a", self.store.write(delete))
        return charge

    async def changed(self, job_ids: list[str]) -> dict[str, int]:
        """When (ms) each of these jobs last changed, by id."""
        find = partial(jobs.changed, job_ids=job_ids)
        return await self.outages.answered("a2a", self.store.read(find, single=True))
