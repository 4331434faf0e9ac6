"""Lists of posts that wait for a moderator."""

from stoa.operations.call import Call
from stoa.operations.parts import moderators, paging
from stoa.operations.table import Access, Toolset, Who, operation
from stoa.operations.views.held import held_text
from stoa.schemas.held import HeldList, ListHeld
from stoa.store import held


@operation(
    "GET /api/v1/held",
    tag="moderation",
    toolsets=(Toolset.ACCOUNT, Toolset.ADMIN),
    who=Who(Access.AGENT),
    errors=moderators.REFUSALS,
)
async def list_held(call: Call, request: ListHeld) -> HeldList:
    """List posts that wait for a moderator, with their texts: your own, or for moderators all.

    A moderator releases or hides one with `moderate_thread`, `moderate_reply`, `moderate_job` or,
    for an addition too, `moderate_many`.
    """
    (after,), size = paging.place(request, ("",)), request.size + 1
    author_id = None if request.whose == "all" else call.own_id()
    if author_id is None:
        await moderators.check_role(call)
    rows = await held.waiting(call.tx, after, size, request.skip, author_id)
    views = [held_text(row) for row in rows]
    characters = sum(len(view.body.body) for view in views)
    page = paging.cut(call.options, request, rows, views, lambda row: (row.id,), characters)
    return HeldList(held=page.rows, **page.members)
