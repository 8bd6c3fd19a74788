"""torch._vendor.packaging.version: versions as PEP 440 defines and orders them."""

import functools
import re

__all__ = ["VERSION_PATTERN", "parse", "Version", "InvalidVersion"]

# PEP 440, appendix B: the normal form and every spelling that normalises to it.
VERSION_PATTERN = r"""
    v?
    (?:(?P<epoch>[0-9]+)!)?
    (?P<release>[0-9]+(?:\.[0-9]+)*)
    (?P<pre>[-_.]?(?P<pre_l>alpha|beta|preview|pre|a|b|c|rc)[-_.]?(?P<pre_n>[0-9]+)?)?
    (?P<post>(?:-(?P<post_n1>[0-9]+))|(?:[-_.]?(?P<post_l>post|rev|r)[-_.]?(?P<post_n2>[0-9]+)?))?
    (?P<dev>[-_.]?(?P<dev_l>dev)[-_.]?(?P<dev_n>[0-9]+)?)?
    (?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?
"""

_NORMAL_LETTERS = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}


class InvalidVersion(ValueError):
    """Raised for a text that PEP 440 does not allow as a version."""


def parse(version: str) -> "Version":
    """Returns the version that a text names.

    Args:
        version (str): as "1.0.post1".

    Returns:
        Version: equal for all spellings of one version.
    """
    return Version(version)


def _read_pre(letter, number):
    return (_NORMAL_LETTERS.get(letter.lower(), letter.lower()), int(number or 0)) if letter else None


@functools.total_ordering
class Version:
    """A version: its parts, and its place in the order of releases.

    Args:
        version (str): as "1.0rc1+cpu".

    Example:
        >>> from torch._vendor.packaging.version import Version
        >>> Version("2.13.0+cpu") > Version("2.13.0rc1"), Version("1.0") == Version("1.0.0")
        (True, True)
    """

    _regex = re.compile(rf"^\s*{VERSION_PATTERN}\s*$", re.VERBOSE | re.IGNORECASE)

    def __init__(self, version: str) -> None:
        match = self._regex.search(version)
        if not match:
            raise InvalidVersion(f"Invalid version: '{version}'")
        part = match.groupdict()
        self._epoch = int(part["epoch"] or 0)
        self._release = tuple(map(int, part["release"].split(".")))
        self._pre = _read_pre(part["pre_l"], part["pre_n"])
        self._post = int(part["post_n1"] or part["post_n2"] or 0) if part["post"] else None
        self._dev = int(part["dev_n"] or 0) if part["dev"] else None
        pieces = re.split(r"[._-]", part["local"].lower()) if part["local"] else []
        self._local = tuple(int(piece) if piece.isdigit() else piece for piece in pieces)

    @property
    def epoch(self) -> int:
        """The number before ``!``; 0 without one."""
        return self._epoch

    @property
    def release(self) -> tuple[int, ...]:
        """The numbers of the release."""
        return self._release

    @property
    def pre(self) -> "tuple[str, int] | None":
        """The letter and number of a pre-release, or None."""
        return self._pre

    @property
    def post(self) -> "int | None":
        """The number of a post-release, or None."""
        return self._post

    @property
    def dev(self) -> "int | None":
        """The number of a development release, or None."""
        return self._dev

    @property
    def local(self) -> "str | None":
        """What follows ``+``, or None."""
        return ".".join(map(str, self._local)) if self._local else None

    @property
    def public(self) -> str:
        """The version without its local part."""
        return str(self).split("+", 1)[0]

    @property
    def base_version(self) -> str:
        """The epoch and the numbers of the release."""
        numbers = ".".join(map(str, self._release))
        return f"{self._epoch}!{numbers}" if self._epoch else numbers

    @property
    def is_prerelease(self) -> bool:
        """Whether it comes before a release."""
        return self._dev is not None or self._pre is not None

    @property
    def is_postrelease(self) -> bool:
        """Whether it comes after a release."""
        return self._post is not None

    @property
    def is_devrelease(self) -> bool:
        """Whether it is a development release."""
        return self._dev is not None

    @property
    def major(self) -> int:
        """The first number of the release."""
        return self._release[0]

    @property
    def minor(self) -> int:
        """The second number of the release, or 0."""
        return self._release[1] if len(self._release) > 1 else 0

    @property
    def micro(self) -> int:
        """The third number of the release, or 0."""
        return self._release[2] if len(self._release) > 2 else 0

    @functools.cached_property
    def _key(self):
        """A tuple that sorts as PEP 440 says: dev, pre-releases, the release, post-releases; local parts last."""
        release = list(self._release)
        while release and release[-1] == 0:
            release.pop()
        none, last = ("", -1), ("z", 0)  # no letter of a pre-release sorts outside these two
        only_dev = self._pre is None and self._post is None and self._dev is not None
        pre = none if only_dev else last if self._pre is None else self._pre
        post = -1 if self._post is None else self._post
        dev = (1, 0) if self._dev is None else (0, self._dev)
        local = tuple((1, piece, "") if isinstance(piece, int) else (0, 0, piece) for piece in self._local)
        return self._epoch, tuple(release), pre, post, dev, local

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other: "Version") -> bool:
        return self._key < other._key if isinstance(other, Version) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"<Version('{self}')>"

    def __str__(self) -> str:
        pre = "".join(map(str, self._pre)) if self._pre else ""
        post = f".post{self._post}" if self._post is not None else ""
        dev = f".dev{self._dev}" if self._dev is not None else ""
        local = f"+{self.local}" if self.local else ""
        return f"{self.base_version}{pre}{post}{dev}{local}"
