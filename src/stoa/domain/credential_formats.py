"""The formats of other services' credentials: the name and the pattern of each.

Taken from the services' documentation and from the rules of gitleaks, without their boundaries:
`credentials` looks itself at what stands around a match.
"""

import re
from collections.abc import Iterable
from string import ascii_letters, digits
from typing import NamedTuple


class CredentialFormat(NamedTuple):
    """A format. The pattern begins with the literal `part`, which few other texts have, or, where
    that is empty, with a character or a set of them. `group` of it is what is secret; `is_a_word`
    says that no space stands in it."""

    name: str
    pattern: re.Pattern[str]
    group: int
    part: str
    is_a_word: bool


def _format(
    name: str, pattern: str, group: int = 0, *, part: str = "", is_a_word: bool = True
) -> CredentialFormat:
    return CredentialFormat(name, re.compile(pattern, re.ASCII), group, part, is_a_word)


_WORD = r"[A-Za-z0-9]"
_DASHED = r"[A-Za-z0-9_-]"
_HEX = r"[a-f0-9]"
_LITERAL = f"{ascii_letters}{digits}_-"
_GIVEN = r"[\"']?\s{0,3}[=:]\s{0,3}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
"""The secret of 40 characters behind its name."""


def _behind(before: str, literal: str) -> str:
    """A literal behind something, which begins a word. To look for the literal first is quick."""
    return rf"{literal}(?<=(?<!{_WORD}){before}{literal})"


FORMATS = (
    _format(
        "private key",
        # Some base64 must follow: a heading alone, or with three dots, is an explanation.
        r"-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\s|\\n|\\r|[A-Za-z-]{1,20}: [^\n]{0,80}\n){0,8}([A-Za-z0-9+/=]{24,6000})",
        1,
        part="-----BEGIN",
        is_a_word=False,
    ),
    _format("age private key", r"AGE-SECRET-KEY-1([A-Z0-9]{58})", 1),
    _format("AWS access key", r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}"),
    *(
        _format("AWS secret key", f"{name}{_GIVEN}", 1, part=name, is_a_word=False)
        for name in ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "ecretAccessKey")
    ),
    _format("Google API key", rf"AIza{_DASHED}{{35}}"),
    _format("Google client secret", rf"GOCSPX-{_DASHED}{{28}}"),
    _format("Google access token", rf"ya29\.{_DASHED}{{30,400}}"),
    _format("GitHub token", rf"gh[pousr]_{_WORD}{{36}}"),
    _format("GitHub token", rf"github_pat_{_WORD}{{22}}_{_WORD}{{59}}"),
    _format(
        "GitLab token",
        rf"gl(?:pat|dt|rtr?|cbt|ptt|ft|soat|imt|agent|oas|ffct)-{_DASHED}{{20,100}}",
    ),
    _format(
        "Slack token",
        r"x(?:ox[abcdeoprs](?:\.xox[bp])?|app)-[A-Za-z0-9-]{24,250}",
    ),
    _format(
        "Slack webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,60})",
        1,
    ),
    _format("Stripe key", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}"),
    _format("Stripe webhook secret", r"whsec_[A-Za-z0-9+/]{32,64}={0,2}"),
    _format(
        "Anthropic key",
        rf"sk-ant-(?:api|admin|oat|ort|sid)[0-9]{{2}}-{_DASHED}{{80,120}}",
    ),
    # One by one, as all that begins with `sk-`: a choice behind that would be tried at each.
    *(
        _format("OpenAI key", rf"sk-{kind}-{_DASHED}{{40,200}}")
        for kind in ("proj", "svcacct", "admin", "None")
    ),
    _format(
        "OpenAI key",
        _behind(rf"sk-{_WORD}{{20}}", "T3BlbkFJ") + rf"{_WORD}{{20}}",
        part="T3BlbkFJ",
    ),
    _format("OpenRouter key", rf"sk-or-v1-{_HEX}{{64}}"),
    _format("Hugging Face token", rf"hf_{_WORD}{{34}}"),
    _format("Hugging Face token", rf"api_org_{_WORD}{{34}}"),
    _format("Groq key", rf"gsk_{_WORD}{{52}}"),
    _format("Perplexity key", rf"pplx-{_WORD}{{48}}"),
    _format("Replicate token", rf"r8_{_WORD}{{37}}"),
    _format("xAI key", rf"xai-{_WORD}{{80}}"),
    _format("npm token", rf"npm_{_WORD}{{36}}"),
    _format("PyPI token", rf"pypi-AgE{_DASHED}{{50,1000}}"),
    _format("RubyGems key", rf"rubygems_{_HEX}{{48}}"),
    _format("crates.io token", rf"cio{_WORD}{{32}}"),
    _format("Docker Hub token", rf"dckr_[po]at_{_DASHED}{{27,36}}"),
    _format("SendGrid key", rf"SG\.{_DASHED}{{22}}\.{_DASHED}{{43}}"),
    _format("Twilio key", rf"SK{_HEX}{{32}}"),
    _format("Mailgun key", rf"key-{_HEX}{{32}}(?:-{_HEX}{{8}}-{_HEX}{{8}})?"),
    _format("Mailchimp key", _behind(rf"({_HEX}{{32}})", "-us") + "[0-9]{1,2}", 1, part="-us"),
    _format("Brevo key", rf"xkeysib-{_HEX}{{64}}-{_WORD}{{16}}"),
    _format("Telegram token", rf":AA(?<=[0-9]{{8}}:AA){_DASHED}{{33}}", part=":AA"),
    _format(
        "Discord token",
        rf"[MNO]{_DASHED}{{23,27}}\.{_DASHED}{{6}}\.{_DASHED}{{27,38}}",
    ),
    _format(
        "Discord webhook",
        rf"discord(?:app)?\.com/api/webhooks/[0-9]{{17,20}}/({_DASHED}{{60,80}})",
        1,
    ),
    _format("DigitalOcean token", rf"do[opr]_v1_{_HEX}{{64}}"),
    _format("Shopify token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _format("Square token", rf"sq0(?:atp-{_DASHED}{{22}}|csp-{_DASHED}{{43}})"),
    _format("Square token", rf"EAAA{_DASHED}{{60}}"),
    _format("Databricks token", rf"dapi{_HEX}{{32}}(?:-[0-9])?"),
    _format("Vault token", rf"hv[sbr]\.{_DASHED}{{24,250}}"),
    _format(
        "Terraform token",
        _behind(rf"{_WORD}{{14}}", r"\.atlasv1\.") + rf"{_DASHED}{{60,70}}",
        part=".atlasv1.",
    ),
    _format(
        "Doppler token",
        rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:{_DASHED}{{2,35}}\.)?{_WORD}{{40,44}}",
    ),
    _format("Linear key", rf"lin_(?:api|oauth)_{_WORD}{{40,64}}"),
    _format("Notion token", rf"ntn_{_WORD}{{43,46}}"),
    _format("Notion token", rf"secret_{_WORD}{{43}}"),
    _format("Figma token", rf"figd_{_DASHED}{{38,50}}"),
    _format("Atlassian token", r"AT[AC]TT3[A-Za-z0-9_\-=]{100,250}"),
    _format("Postman key", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    _format("Grafana token", rf"glsa_{_WORD}{{32}}_[a-fA-F0-9]{{8}}"),
    _format("Grafana token", r"glc_[A-Za-z0-9+/]{32,400}={0,2}"),
    _format("New Relic key", r"NRAK-[A-Z0-9]{27}"),
    _format("Sentry token", r"sntry(?:s_[A-Za-z0-9+/=_-]{60,500}|u_[a-f0-9]{64})"),
    _format("PlanetScale token", rf"pscale_(?:tkn|pw|oauth)_{_DASHED}{{32,64}}"),
    _format("Supabase token", rf"sb(?:p_{_HEX}{{40}}|_secret_{_DASHED}{{31,42}})"),
    _format("Airtable token", rf"pat{_WORD}{{14}}\.{_HEX}{{64}}"),
    _format("Dropbox token", rf"sl\.(?:u\.)?{_DASHED}{{130,1500}}"),
    _format("Azure storage key", r"AccountKey=([A-Za-z0-9+/]{86}==)", 1),
    _format(
        "Azure client secret",
        _behind("[A-Za-z0-9_~.-]{3}[0-9]", "Q~") + "[A-Za-z0-9_~.-]{31,34}",
        part="Q~",
    ),
    _format("Facebook token", rf"EAA[A-Z]{_WORD}{{100,250}}"),
    _format("Heroku key", rf"HRKU-{_DASHED}{{36,65}}"),
    _format("Netlify token", rf"nfp_{_WORD}{{36}}"),
    _format("Tailscale key", rf"tskey-[a-z]{{3,10}}-{_WORD}{{10,20}}-{_WORD}{{20,40}}"),
    _format("1Password token", r"ops_eyJ[A-Za-z0-9+/=_-]{200,2000}"),
    _format("Pulumi token", rf"pul-{_HEX}{{40}}"),
    _format("Buildkite token", rf"bkua_{_HEX}{{40}}"),
    _format("Fly.io token", r"f(?:m2_[A-Za-z0-9+/]{100,1000}={0,3}|o1_[A-Za-z0-9_-]{43})"),
    _format("Alibaba Cloud key", rf"LTAI{_WORD}{{20}}"),
    _format("Contentful token", rf"CFPAT-{_DASHED}{{43}}"),
    _format("Typeform token", r"tfp_[A-Za-z0-9_.=-]{59}"),
    _format("Dynatrace token", r"dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
)

WITH_PART = tuple(known for known in FORMATS if known.part)


def _by_first(known: Iterable[CredentialFormat]) -> dict[str, list[CredentialFormat]]:
    """Formats by each first character that their credentials have."""
    found: dict[str, list[CredentialFormat]] = {}
    for one in known:
        start = one.pattern.pattern
        for first in start[1 : start.index("]")] if start[0] == "[" else start[0]:
            found.setdefault(first, []).append(one)
    return found


BY_FIRST = _by_first(known for known in FORMATS if not known.part)


def _choice(patterns: list[str]) -> str:
    """Any of these patterns; a character that several begin with is looked at once."""
    if len(patterns) == 1:
        return patterns[0]
    groups: dict[str, list[str]] = {}
    for one in patterns:
        groups.setdefault(one[0] if one[0] in _LITERAL else one, []).append(one)
    return f"(?:{'|'.join(_group(first, some) for first, some in groups.items())})"


def _group(first: str, patterns: list[str]) -> str:
    return first + _choice([one[1:] for one in patterns]) if len(first) == 1 else first


_starts = [
    first + re.sub(r"^(?:\[\w+\]|\w)", "", known.pattern.pattern)
    for first, some in BY_FIRST.items()
    for known in some
]
ANY_OTHER = re.compile(
    rf"[^A-Za-z0-9](?=[{''.join(BY_FIRST)}][A-Za-z0-9]){_choice(_starts)}", re.ASCII
)
"""A credential of any format without a part, with what is before it: where no word begins nothing
is tried, and two characters tell of most words that no credential begins there."""

PUBLISHED = frozenset(
    {
        "3543c50b0cb9cea8e55eb1f529b79f043cb250d485fde7b66cabbb5183add7da",  # GitHub
        "2cafc0970149a84f3b9e62eaf169f36f59907a3b3e31f7b82e68c69cd27f7326",  # Stripe
        "f2d6ca16515033e5dce14eba840b979d27b5cbae24bb3e5bf484339667f86397",  # Stripe
        "7e8de44ea9ecf6d53415c90f5b249a8591f7abafbf7d65a2c0d855afeca3ec09",  # Stripe
        "ac9265e56c79b234607ec72c53753cfea9f88c99eb713790ddf9be5593bb4465",  # Google Maps
        "0b5dd075ccdd03c42f4edda8e299e6838e2a75d3486a2a8d86940ed1541e9178",  # Telegram
        "02f7ce3c263f85c019eeeeea4b08f1b7f6ade2b7a2199c14f3efdac0eef382e1",  # Discord
        "02091175c1ae3023fb1e92ff16e1a5ca44dcd9f449916770f7d4eb192092e273",  # SendGrid
        "1ecaab924692dd89d0a0d03469dcc236606837497f27ae875d6876a02968f626",  # Slack
        "0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059",  # Azurite
    }
)
"""SHA-256 of the credentials that the services' own documentations show as examples. The texts
themselves would make scanners of code refuse this file."""
