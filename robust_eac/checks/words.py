"""Words of messages."""

from difflib import get_close_matches


def did_you_mean(value, choices) -> str:
    """A suggestion to append to an error; empty if no choice resembles the value."""
    near = get_close_matches(str(value).lower(), list(choices), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def percent(share):
    """A share in percent, without decimals."""
    return f"{100.0 * share:.0f} %"
