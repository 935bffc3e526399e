"""The labels of judges that a file has beside its replies. They are shown, and change no score."""

from typing import Any

_LABELS = {
    **dict.fromkeys(("correct", "true", "yes", "right"), 1.0),
    **dict.fromkeys(("wrong", "incorrect", "false", "no"), 0.0),
}
EXPECTED = "CORRECT or WRONG, true or false, a number from 0 to 1, or several of these"


def read(value: Any) -> tuple[float, ...] | None:
    """The judgments in a value, from 0 to 1; empty for null, None if any is of another scale or no label."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        several = [read(one) for one in value]
        if any(one is None for one in several):
            return None
        return tuple(one for judged in several for one in judged or ())
    if value is None or value != value:
        return ()
    text = str(value).strip().lower()
    if text in _LABELS:
        return (_LABELS[text],)
    try:
        number = float(text)
    except ValueError:
        return None if text else ()
    return (number,) if 0 <= number <= 1 else None
