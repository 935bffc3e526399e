"""Failed calls that a file writes as text: which replies are failures, and which errors are none."""

import re
from typing import Any

_NULL = r"none|null|nil|nan|n/?a|<na>|#n/?a|undefined"
_FAILURE = re.compile(
    rf"(?i:{_NULL})"
    # `ERROR`, `Error: timeout`, `[ERROR] timeout`, `Error code: 429`; but no sentence about errors.
    r"|(?i:\[error\]|error\s*(?:$|:|code\b)).*"
    # The name of an exception, as in `openai.RateLimitError: ...`.
    r"|(?:\w+\.)*\w*[a-z](?:Error|Exception)(?::.*)?"
    r"|Traceback \(most recent call last\).*",
    re.DOTALL,
)
_NO_ERROR = re.compile(rf"|false|0|\[\]|\{{\}}|{_NULL}", re.IGNORECASE)


def reads_as_failure(reply: str) -> bool:
    """Whether a reply is nothing but the text of null or of an error (docs/answers.md has the rule)."""
    return _FAILURE.fullmatch(reply.strip()) is not None


def says_nothing(error: Any) -> bool:
    """Whether the value of `error` says that there was none: null, false, 0, empty, or the text of these."""
    return not error or error != error or _NO_ERROR.fullmatch(str(error).strip()) is not None
