"""TorchVersion: a version string that compares with strings, tuples and packaging's Version, by PEP 440."""

import re

from .version import __version__ as internal_version

__all__ = ["TorchVersion"]

_PATTERN = re.compile(
    r"v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_n>\d*))?"
    r"(?:-(?P<implicit_post>\d+)|[-_.]?(?P<post>post|rev|r)[-_.]?(?P<post_n>\d*))?"
    r"(?:[-_.]?(?P<dev>dev)[-_.]?(?P<dev_n>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?",
    re.IGNORECASE,
)
_PRE_ORDER = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_LOWEST, _HIGHEST = (-1,), (99,)


def _sort_key(text):
    """Returns the tuple by which PEP 440 orders versions, or None if `text` is not a version."""
    match = _PATTERN.fullmatch(text.strip())
    if match is None:
        return None
    part = match.groupdict()
    release = [int(n) for n in part["release"].split(".")]
    while release and release[-1] == 0:
        release.pop()
    has_post = part["post"] is not None or part["implicit_post"] is not None
    if part["pre"]:
        pre = (_PRE_ORDER[part["pre"].lower()], int(part["pre_n"] or 0))
    else:
        pre = _LOWEST if part["dev"] and not has_post else _HIGHEST  # 1.0.dev1 comes before 1.0a1
    post = (int(part["implicit_post"] or part["post_n"] or 0),) if has_post else _LOWEST
    dev = (int(part["dev_n"] or 0),) if part["dev"] else (float("inf"),)
    local = tuple(
        (1, int(piece), "") if piece.isdigit() else (0, 0, piece.lower())
        for piece in re.split(r"[-_.]", part["local"] or "")
        if piece
    )
    return (int(part["epoch"] or 0), tuple(release), pre, post, dev, local)


class TorchVersion(str):
    """A version as a str that compares as PEP 440 says: with strings, tuples and packaging's Version.

    What is no version compares as a plain str.

    Example:
        >>> from torch.torch_version import TorchVersion
        >>> TorchVersion("2.13.0") > "2.9", TorchVersion("2.13.0") >= (2, 13)
        (True, True)
    """

    __slots__ = ()

    def _compare(self, other, method):
        if isinstance(other, (list, tuple)):
            text = ".".join(str(item) for item in other)
        else:
            text = str(other)
        mine, theirs = _sort_key(str(self)), _sort_key(text)
        if mine is None or theirs is None:
            return getattr(str, method)(self, other)
        return getattr(mine, method)(theirs)

    def __eq__(self, other):
        return self._compare(other, "__eq__")

    def __lt__(self, other):
        return self._compare(other, "__lt__")

    def __le__(self, other):
        return self._compare(other, "__le__")

    def __gt__(self, other):
        return self._compare(other, "__gt__")

    def __ge__(self, other):
        return self._compare(other, "__ge__")

    __hash__ = str.__hash__


__version__ = TorchVersion(internal_version)
