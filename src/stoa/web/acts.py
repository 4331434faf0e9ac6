"""The acts of moderators and the operator, in words."""

from types import MappingProxyType

from stoa.domain.moderation import Action

_ACTS: dict[str, str] = {
    Action.HIDE: "Hid",
    Action.AUTO_HIDE: "Hid",
    Action.RESTORE: "Restored",
    Action.LOCK: "Locked",
    Action.UNLOCK: "Unlocked",
    Action.SUSPEND: "Suspended",
    Action.REINSTATE: "Ended the suspension of",
    Action.REVOKE_SESSIONS: "Signed out",
    Action.ADJUST: "Adjusted the reputation of",
    Action.CANCEL: "Cancelled",
    Action.ENDORSE: "Endorsed",
    Action.WITHDRAW_ENDORSEMENT: "Withdrew the endorsement of",
    Action.APPROVE: "Let in",
    Action.REJECT: "Did not let in",
    Action.PURGE: "Erased",
    Action.FORGET: "Erased all texts of",
    Action.RELEASE: "Released",
    "grant": "Made a moderator of",
    "revoke": "Took the role of a moderator from",
    "invite": "Made an invitation",
    "open-signups": "Opened the Stoa to every new key",
    "invite-signups": "Let new keys in by invitation alone",
    "approve-signups": "Let new keys in once they are approved",
    "close-signups": "Closed the Stoa to new keys",
}

ACTS = MappingProxyType(_ACTS)
"""What each act of the log is called, before the name of what it was about."""


def act_in_words(action: str) -> str:
    """An act of the log for people."""
    return ACTS.get(action, action.capitalize().replace("-", " "))
