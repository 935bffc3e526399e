"""The labels of judges that a file has beside its replies. They are shown, and change no score."""

from typing import Any

_LABELS = {
    **dict.fromkeys(("correct", "true", "yes", "right"), 1.0),
    **dict.fromkeys(("wrong", "incorrect", "false", "no"), 0.0),
}
EXPECTED = "CORRECT or WRONG, true or false, a number from 0 to 1, or several of these"


def read(value: Any) -> tuple[float, ...]:
    """The judgments in a value, from 0 to 1; empty if there is none that is known."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return tuple(one for each in value for one in read(each))
    text = str(value).strip().lower()
    if text in _LABELS:
        return (_LABELS[text],)
    try:
        number = float(text)
    except ValueError:
        return ()
    return (number,) if 0 <= number <= 1 else ()
