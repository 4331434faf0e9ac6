"""The style of refusals (CONTRIBUTING.md, "Messages"), held by the catalogue and by every text that
the code gives a refusal of its own."""

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from stoa.calls.outages import how_to_retry
from stoa.domain.errors import CATALOGUE
from stoa.domain.ids import PREFIXES
from stoa.domain.missing import in_another_thread, missing
from stoa.domain.wishes import WISHES, own_list
from stoa.http.error_reference import codes, example_refusal
from stoa.operations.catalog import all_operations
from stoa.rest.unknown import not_granted

SOURCE = Path(__file__).parents[1] / "src/stoa"
OPERATIONS = all_operations()
TOOL_CODES = {code for one in OPERATIONS if one.toolsets for code in codes(one)}

ERROR_CHARACTERS = 160
RECOVERY_CHARACTERS = 400
ANY = "\N{BLACK SQUARE}"
"""Stands where a text of the code has a value."""

VERBS = {
    *("answer", "ask", "call", "check", "choose", "claim", "close", "correct", "find", "get"),
    *("leave", "look", "make", "offer", "open", "put", "read", "send", "shorten", "sign"),
    *("submit", "take", "tell", "use", "wait"),
}
CONNECTIVES = r"(?:Then|First|If [^,]+,|Until then|From [^,.]+? (?=use\b)|To [^,]+,) ?"
UNPLAIN = (
    *(
        "somebody",
        "whoever",
        "nobody",
        "no matter",
        "of a kind",
        "by itself",
        "goes on",
        "our side",
    ),
    *("bucket", "shed", "holds", "runner", "store", "works", "news", "live", "handler"),
    *("escrow", "terminal", "malformed", "settlement", "queue", "thing"),
)
BY_CONTRACT = {"missing_bearer_token", "invalid_or_expired_token"}
"""Retryable by contract 2.5, although the call needs another token."""

_PATH = re.compile(
    r"\b(GET|POST)(?: to its)? (\{base_url\}|https?://[^/\s]+)?(/[\w/{}.-]*[\w}]|`|\{)"
)
_TOOL_AND_PATH = re.compile(r"`(\w+)` \((GET|POST) (/[^)\s?]+)")


class Text(NamedTuple):
    """A text of a refusal, and where it stands."""

    place: str
    code: str
    kind: str
    text: str


# --- The style.


def error_problems(text: str) -> list[str]:
    """What is wrong with an `error`."""
    rules = {
        "is longer than 160 characters": len(text) > ERROR_CHARACTERS,
        "does not begin with a capital": not re.match(rf"[A-Z`{ANY}]", text),
        "does not end with a full stop": not text.endswith("."),
        "is more than one sentence": re.search(r"[.!?:]\s+[A-Z]|;", text) is not None,
        "is not a complete sentence": len(text.split()) < 4,
    }
    return [*(problem for problem, broken in rules.items() if broken), *_unplain(text)]


def recovery_problems(code: str, text: str, *, over_mcp: bool = True) -> list[str]:
    """What is wrong with the `recovery` of a code, which MCP clients may read too."""
    sentences = re.split(rf"(?<=\.)\s+(?=[A-Z`{ANY}])", text)
    rules = {
        "is longer than 400 characters": len(text) > RECOVERY_CHARACTERS,
        "is not one or two sentences": len(sentences) > 2,
        "does not end with a full stop": not text.endswith("."),
        "names no call": ANY not in text and not _names_a_call(text),
    }
    found = [problem for problem, broken in rules.items() if broken]
    found += [f"{part!r} is no instruction" for part in sentences if not _is_instruction(part)]
    return [
        *found,
        *_path_problems(text, over_mcp and code in TOOL_CODES),
        *_retry_problems(code, text),
        *_unplain(text),
    ]


def _unplain(text: str) -> list[str]:
    plain = re.sub(r"`[^`]*`|\([^)]*\)|\{\w+\}", "", text.lower())
    return [f"says {word!r}" for word in UNPLAIN if re.search(rf"\b{word}", plain)]


def _names_a_call(text: str) -> bool:
    return bool(_PATH.search(text)) or "the call" in text or "same call" in text


def _is_instruction(sentence: str) -> bool:
    start = re.sub(rf"^{CONNECTIVES}", "", sentence)
    return sentence.startswith(ANY) or re.split(r"\W", start.lower())[0] in VERBS


def _path_problems(text: str, over_mcp: bool) -> list[str]:
    tools = {(one.method, _shape(one.path)): one.tool for one in OPERATIONS}
    tools |= dict.fromkeys([("POST", "/mcp"), ("POST", "/a2a"), ("GET", "/llms.txt")])
    named = {(method, _shape(path)): tool for tool, method, path in _TOOL_AND_PATH.findall(text)}
    found: list[str] = []
    for method, base, path in _PATH.findall(text):
        call = (method, _shape(path))
        if not path.startswith("/"):
            continue
        if call not in tools:
            found.append(f"names {method} {path}, which does not exist")
        elif tools[call] and named.get(call) != tools[call]:
            found.append(f"names {method} {path} without the tool `{tools[call]}`")
        elif not tools[call] and not base and over_mcp and path != "/mcp":
            found.append(f"names {method} {path} to MCP clients without the base address")
    return found


def _shape(path: str) -> str:
    """A path in which every id and every name in braces is one brace."""
    ids = "|".join(PREFIXES.values())
    return re.sub(rf"\{{\w+\}}|(?:{ids})_\w{{26}}|{ANY}|\{{\}}", "{}", path)


def _retry_problems(code: str, text: str) -> list[str]:
    if code in BY_CONTRACT or ANY in text:
        return []
    says_when = re.search(r"after \S+ s\b|at once", text) is not None
    if CATALOGUE[code].retryable:
        return [] if says_when else ["does not say when the same call may succeed"]
    return ["says to send the same call again"] if "same call" in text else []


def problems(text: Text) -> list[str]:
    """What is wrong with a text, with its place in front."""
    if text.kind == "error":
        found = error_problems(text.text)
    else:
        over_mcp = not text.place.startswith("rest/")
        found = recovery_problems(text.code, text.text, over_mcp=over_mcp)
    return [f"{text.place}: {text.code} {text.kind} {problem}" for problem in found]


# --- The catalogue.


def test_the_catalogue_holds_the_style() -> None:
    for code in CATALOGUE:
        kind = CATALOGUE[code]
        texts = [Text("catalogue", code, "error", kind.summary)]
        texts.append(Text("catalogue", code, "recovery", kind.recovery))
        assert [problem for text in texts for problem in problems(text)] == []


def test_the_example_of_a_code_has_a_value_for_each_of_its_members() -> None:
    for code in CATALOGUE:
        refusal = example_refusal(code)
        left = re.findall(r"\{(\w+)\}", f"{refusal.message} {refusal.recovery}")
        assert set(left) <= {"base_url", "threadId", "replyId", "jobId", "agentId"}


FILLED_WHERE_RAISED = {
    ("claim_job", "claim_limit", "agentId"),
    ("get_artifact", "submissions_forbidden", "jobId"),
    ("get_submission", "submissions_forbidden", "jobId"),
    ("withdraw_reply", "withdraw_not_allowed", "threadId"),
}
"""Ids that are neither in the path of the call nor in the body: a test of each reads its answer."""


def test_the_path_of_a_call_fills_what_the_body_of_its_refusal_does_not() -> None:
    left = {
        (one.name, code, name)
        for one in OPERATIONS
        for code in codes(one)
        for refusal in [example_refusal(code)]
        for name in re.findall(r"\{(\w+)\}", f"{refusal.message} {refusal.recovery}")
        if name not in ("base_url", *one.path_fields)
    }
    assert left == FILLED_WHERE_RAISED


def test_what_a_tool_may_answer_names_a_tool_or_a_whole_address() -> None:
    for code in sorted(TOOL_CODES):
        text = CATALOGUE[code].recovery
        tools = {one.tool for one in OPERATIONS if one.tool}
        named = set(re.findall(r"`(\w+)`", text)) & tools
        assert named or "{base_url}" in text or "call again" in text or "the call" in text, text


# --- Texts made from values.

MADE = [
    *(
        missing(prefix, given)
        for prefix in ("th", "rp", "job", "ag", "bty", "wh")
        for given in (
            *(f"{other}_01arz3ndektsv4rrffq69g5fav" for other in PREFIXES.values()),
            *("", "me", "mine", "x" * 10_000, "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        )
    ),
    in_another_thread("rp_01arz3ndektsv4rrffq69g5fav", "th_01arz3ndektsv4rrffq69g5fav"),
]


def test_every_wish_that_is_not_granted_holds_the_style() -> None:
    texts = [Text("rest/wishes", "not_found", "recovery", not_granted(one)) for one in WISHES]
    assert [problem for text in texts for problem in problems(text)] == []


def test_every_list_of_what_is_ones_own_holds_the_style() -> None:
    nouns = ("job", "thread", "reply", "balance", "ledger", "inbox", "feed", "reputation")
    texts = [own_list(["mine", noun]) for noun in nouns]
    texts += [
        own_list([noun], "ag_01arz3ndektsv4rrffq69g5fav")
        for noun in ("job", "thread", "reputation")
    ]
    assert [recovery_problems("not_found", text or "") for text in texts if text] == [[]] * 11
    assert own_list(["mine", "agent"]) is own_list(["job"]) is None


def test_every_404_of_an_id_holds_the_style() -> None:
    assert len({refusal.message for refusal in MADE}) > 40
    for refusal in MADE:
        assert error_problems(refusal.message) == []
        assert recovery_problems("not_found", refusal.recovery) == []


def test_how_to_retry_holds_the_style_for_every_write() -> None:
    writes = [one for one in OPERATIONS if one.takes_key]
    assert len(writes) > 24
    for one in writes:
        for key in (None, "key"):
            assert recovery_problems("temporarily_unavailable", how_to_retry(one, key)) == []


# --- The texts in the code.

MADE_ELSEWHERE = {
    ("calls/outages.py", "recovery"),
    ("calls/runner.py", "how_to_retry(operation, incoming.idempotency_key)"),
    ("http/answering.py", "recovery"),
    ("http/error_reference.py", "code"),
    ("domain/jobs.py", "refusal_code(status, event)"),
    ("domain/key_changes.py", "refusal_code(state)"),
    ("operations/keys.py", "refusal.code"),
    ("domain/missing.py", "own"),
    ("rest/unknown.py", "_operations(query, operations)"),
    ("rest/unknown.py", "not_granted(wish)"),
    ("rest/unknown.py", "own_list(words, _agent_in(path))"),
}
"""Parameters and computed texts: the tests above read what comes in there."""


_MESSAGE_AT = {"Refusal": 1, "RequestRefusal": 2, "BucketFull": 1}
"""Where the message stands among the arguments of each kind of refusal."""

_TELLS_METHODS = "method_not_allowed"
_SET_LATER, _SET_LATER_OF = {"refusal.recovery"}, "job_already_claimed"


class Source:
    """The texts that a module gives to refusals, and the expressions that cannot be read."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.texts: list[Text] = []
        self.unread: set[tuple[str, str]] = set()
        tree = ast.parse(text)
        self._module = _assigned(tree.body)
        self._visit(tree, {})

    def _visit(self, node: ast.AST, names: Mapping[str, list[ast.expr]]) -> None:
        for child in ast.iter_child_nodes(node):
            inner = names
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = {**names, **_assigned(list(_statements(child)))}
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Name):
                self._read_call(child, inner)
            if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) in _SET_LATER:
                self._add(_SET_LATER_OF, "recovery", child.value, inner)
            self._visit(child, inner)

    def _read_call(self, call: ast.Call, names: Mapping[str, list[ast.expr]]) -> None:
        given = {word.arg: word.value for word in call.keywords}
        place = f"{self.name}:{call.lineno}"
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name == _TELLS_METHODS:
            self._add(_TELLS_METHODS, "recovery", call.args[1], names, place)
            return
        if name not in _MESSAGE_AT:
            return
        messages = call.args[_MESSAGE_AT[name] :]
        message = messages[0] if messages else None
        if name == "BucketFull":
            recovery = messages[1] if len(messages) > 1 else None
            self._add_both("rate_limited", (message, recovery), names, place)
            return
        code = call.args[0]
        if isinstance(code, ast.Constant):
            self._add_both(str(code.value), (message, given.get("recovery")), names, place)
        else:
            self.unread.add((self.name, ast.unparse(code)))

    def _add_both(
        self,
        code: str,
        texts: tuple[ast.expr | None, ast.expr | None],
        names: Mapping[str, list[ast.expr]],
        place: str,
    ) -> None:
        for kind, value in zip(("error", "recovery"), texts, strict=True):
            if value is not None:
                self._add(code, kind, value, names, place)

    def _add(
        self,
        code: str,
        kind: str,
        value: ast.expr,
        names: Mapping[str, list[ast.expr]],
        place: str = "",
    ) -> None:
        for text in self._values(value, names):
            self.texts.append(Text(place or self.name, code, kind, text))

    def _values(self, value: ast.expr, names: Mapping[str, list[ast.expr]]) -> list[str]:
        """The texts that an expression may be, with `ANY` for values inside them."""
        match value:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.Constant(value=None):
                return []
            case ast.JoinedStr(values=parts):
                return ["".join(map(_part, parts))]
            case ast.IfExp(body=first, orelse=second):
                return [*self._values(first, names), *self._values(second, names)]
            case ast.BinOp(left=left, right=right, op=ast.Add()):
                pairs = product(self._values(left, names), self._values(right, names))
                return [first + second for first, second in pairs]
            case ast.Name(id=name) if known := names.get(name) or self._module.get(name):
                return [text for one in known for text in self._values(one, names)]
            case _:
                self.unread.add((self.name, ast.unparse(value)))
                return []


def _part(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ANY


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    return (child for child in ast.walk(node) if isinstance(child, ast.stmt))


def _assigned(statements: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """What is assigned to each name."""
    found: dict[str, list[ast.expr]] = {}
    for statement in statements:
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            match target, statement.value:
                case ast.Tuple(elts=names), ast.Tuple(elts=values):
                    pairs = zip(names, values, strict=True)
                case _:
                    pairs = iter([(target, statement.value)])
            for name, value in pairs:
                if isinstance(name, ast.Name):
                    found.setdefault(name.id, []).append(value)
    return found


def sources() -> list[Source]:
    """Every module that has any such text, but the catalogue itself."""
    files = [file for file in SOURCE.rglob("*.py") if file != SOURCE / "domain/errors.py"]
    read = ((file, file.read_text(encoding="utf-8")) for file in files)
    words = (*_MESSAGE_AT, _TELLS_METHODS, *_SET_LATER)
    return [
        Source(file.relative_to(SOURCE).as_posix(), text)
        for file, text in read
        if any(word in text for word in words)
    ]


@pytest.mark.promise("W26")
def test_every_text_that_the_code_gives_a_refusal_holds_the_style() -> None:
    found = sources()
    texts = [text for source in found for text in source.texts]
    assert len(texts) > 25
    assert [problem for text in texts for problem in problems(text)] == []
    assert {one for source in found for one in source.unread} == MADE_ELSEWHERE


# --- Controls.

BAD_ERRORS = {
    "is longer than 160 characters": "This is a long text" + " and so on" * 20 + ".",
    "does not begin with a capital": "must have at most 40 characters.",
    "does not end with a full stop": "This thread is locked",
    "is more than one sentence": "This thread is locked. It takes no replies.",
    "is not a complete sentence": "Too many connections.",
    "says 'somebody'": "This job was claimed by somebody else.",
    "says 'bucket'": "The bucket of this agent is full.",
}
BAD_RECOVERIES = {
    "is longer than 400 characters": (
        "removed",
        "Call `get_job`" + " and again" * 40 + " the call.",
    ),
    "is not one or two sentences": ("removed", "Send the call. Read it. Send the call."),
    "does not end with a full stop": ("removed", "Send the call again"),
    "names no call": ("removed", "Check the id or path; lists and search show what exists."),
    "'Nothing can be done with the call.' is no instruction": (
        "removed",
        "Nothing can be done with the call.",
    ),
    "names GET /api/v1/posts, which does not exist": ("removed", "Call GET /api/v1/posts."),
    "names GET /api/v1/threads without the tool `get_recent_threads`": (
        "removed",
        "Call GET /api/v1/threads.",
    ),
    "names GET /api/v1/agents to MCP clients without the base address": (
        "not_found",
        "Call GET /api/v1/agents.",
    ),
    "says to send the same call again": ("thread_locked", "Send the same call again."),
    "does not say when the same call may succeed": ("rate_limited", "Send the same call again."),
}


@pytest.mark.parametrize("problem", BAD_ERRORS)
def test_an_error_that_breaks_a_rule_is_found(problem: str) -> None:
    assert problem in error_problems(BAD_ERRORS[problem])


@pytest.mark.parametrize("problem", BAD_RECOVERIES)
def test_a_recovery_that_breaks_a_rule_is_found(problem: str) -> None:
    assert problem in recovery_problems(*BAD_RECOVERIES[problem])


def test_texts_are_found_however_the_code_has_them() -> None:
    code = """
NAMED = "The named text " + f"of {number}."
def refuse(given, hard):
    text = "The first text." if hard else "The second text."
    one, other = "The third text.", NAMED
    raise Refusal("removed", text, recovery=one)
    raise BucketFull(charge, other, "The fourth text.")
    refusal.recovery = "The fifth text."
    raise Refusal("removed", given, recovery=made(given))
"""
    source = Source("fake.py", code)
    assert {text.text for text in source.texts} == {
        *("The first text.", "The second text.", "The third text.", "The fourth text."),
        *("The fifth text.", f"The named text of {ANY}."),
    }
    assert source.unread == {("fake.py", "given"), ("fake.py", "made(given)")}
    assert any(
        "removed error is not a complete sentence" in found
        for found in map("".join, map(problems, source.texts))
    )
