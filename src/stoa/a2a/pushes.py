"""The methods of push configurations: the addresses that get the state of a task as it changes."""

from typing import Any, cast

from stoa.a2a import rpc
from stoa.a2a.calls import TaskCall
from stoa.a2a.reading import Tasks
from stoa.a2a.rpc import Params, RpcError
from stoa.calls.task_store import TaskStore
from stoa.domain import webhooks as rules
from stoa.operations.parts.push_configs import AskedPush, PushSecrets, scheme_of
from stoa.schemas.tasks import TaskJson
from stoa.store.webhooks import WebhookRow

_NO_CONFIG = "This task has no push configuration with this id."
_SECRET_CHARS, _ID_CHARS = 1000, 64


class Pushes:
    """Push configurations of the caller's, for tasks that it may read."""

    def __init__(self, store: TaskStore, tasks: Tasks) -> None:
        self._store = store
        self._tasks = tasks

    async def create(self, call: TaskCall, params: Params) -> TaskJson:
        """`CreateTaskPushNotificationConfig`: add one, or replace the one with its id."""
        named = _text(params, "taskId", most=_ID_CHARS)
        if not named:
            raise rpc.wrong("`taskId` must be the id of a task.")
        self.check(params)
        await self._tasks.get(call, named)
        return await self.put(call, named, params)

    async def put(self, call: TaskCall, named: str, params: Params) -> TaskJson:
        """Set what was checked for a task."""
        request, wanted = call.request, _secrets(params)
        own = _text(params, "id", most=_ID_CHARS) or named
        asked = AskedPush(named, own, params["url"], wanted)
        charge = await self._store.put(asked, request.authorization, request.address)
        call.charge = call.charge or charge
        return _shown(named, own, asked.url, wanted.scheme)

    def check(self, params: Params) -> None:
        """Raise RpcError for what can be no configuration."""
        plain = bool(self._store.services.settings.webhooks_allow)
        wrong = rules.check_given(params.get("url"), plain=plain)
        if wrong:
            raise rpc.wrong(f"`url` cannot be used. {wrong}")
        _text(params, "id", most=_ID_CHARS)
        _secrets(params)

    async def get(self, call: TaskCall, params: Params) -> TaskJson:
        """`GetTaskPushNotificationConfig`."""
        wanted = _text(params, "id", most=_ID_CHARS)
        for row in await self._of_task(call, params):
            if row.config_id == wanted:
                return _view(row)
        raise RpcError(rpc.NOT_FOUND, _NO_CONFIG)

    async def listed(self, call: TaskCall, params: Params) -> TaskJson:
        """`ListTaskPushNotificationConfigs`: all of a task on one page."""
        rows = await self._of_task(call, params)
        return {"configs": [_view(row) for row in rows], "nextPageToken": ""}

    async def delete(self, call: TaskCall, params: Params) -> TaskJson:
        """`DeleteTaskPushNotificationConfig`, which may be sent again."""
        request = call.request
        named, own = (_text(params, name, most=_ID_CHARS) for name in ("taskId", "id"))
        call.charge = await self._store.delete(named, own, request.authorization, request.address)
        return {}

    async def _of_task(self, call: TaskCall, params: Params) -> list[WebhookRow]:
        request, named = call.request, _text(params, "taskId", most=_ID_CHARS)
        rows, call.charge = await self._store.of_task(named, request.authorization, request.address)
        return rows


def _secrets(params: Params) -> PushSecrets:
    given: Any = params.get("authentication") or {}
    if not isinstance(given, dict):
        raise rpc.wrong("`authentication` must be an object with `scheme` and `credentials`.")
    authentication = cast("Params", given)
    scheme = _text(authentication, "scheme", most=_ID_CHARS)
    credentials = _text(authentication, "credentials")
    if credentials and not scheme:
        raise rpc.wrong("`authentication.scheme` is missing: it is `Bearer`, for example.")
    return PushSecrets(_text(params, "token"), scheme, credentials)


def _text(params: Params, name: str, *, most: int = _SECRET_CHARS) -> str:
    """A member that can stand in the head of a request, empty if it is absent."""
    given: Any = params.get(name) or ""
    usable = isinstance(given, str) and given.isascii() and given.isprintable()
    if not usable or len(given) > most:
        raise rpc.wrong(f"`{name}` must be text of at most {most} printable ASCII characters.")
    return given


def _view(row: WebhookRow) -> TaskJson:
    return _shown(row.task_id or "", row.config_id or "", row.url, scheme_of(row))


def _shown(task_id: str, config_id: str, url: str, scheme: str) -> TaskJson:
    """A configuration without its secrets, which nobody is told again."""
    authentication = {"authentication": {"scheme": scheme}} if scheme else {}
    return {"id": config_id, "taskId": task_id, "url": url, **authentication}
