"""torch._vendor.packaging: versions as PEP 440 orders them."""

import importlib
import random

import pytest
from outcomes import outcome

TEXTS = """1.0 1.0.0 1 0.9 1.0a1 1.0.a1 1.0-ALPHA.1 1.0b 1.0beta2 1.0c1 1.0rc1 1.0-pre 1.0preview3 1.0.dev1
1.0dev 1.0a1.dev2 1.0.post1 1.0-1 1.0-r4 1.0.rev 1.0.post1.dev3 1.0a1.post2 1!0.5 v1.0 2.13.0+cpu
2.13.0+cpu.1 2.13.0+1 2.13.0+ubuntu-1_2 1.0+LOCAL 1.10 1.9 2!1.0.dev0 1.0rc1+x.2""".split()
WRONG = ["", "x", "1.0+", "1..0", "1.0-", "1.0a1b2", "1.0+a..b", "1 .0", "1.0.post-1x"]


def _import_version_module(torch):
    return importlib.import_module(torch.__name__ + "._vendor.packaging.version")


@pytest.mark.parametrize("text", TEXTS + WRONG)
def test_parts_of_a_version_are_torchs(text, mt, oracle):
    def list_version_parts(torch):
        v = _import_version_module(torch).parse(text)
        return [str(v), repr(v), v.epoch, v.release, v.pre, v.post, v.dev, v.local, v.public, v.base_version] + [
            *(v.is_prerelease, v.is_postrelease, v.is_devrelease, v.major, v.minor, v.micro)
        ]

    assert outcome(list_version_parts, mt) == outcome(list_version_parts, oracle)


def test_versions_sort_as_in_torch(mt, oracle):
    shuffled = random.Random(0).sample(TEXTS, len(TEXTS))
    assert sorted(shuffled, key=_import_version_module(mt).parse) == sorted(
        shuffled, key=_import_version_module(oracle).parse
    )


def test_spellings_of_one_version_are_equal(mt, oracle):
    for torch in (mt, oracle):
        Version = _import_version_module(torch).Version
        assert Version("1.0") == Version("v1.0.0") and hash(Version("1.0")) == hash(Version("1"))
        assert Version("1.0c1") == Version("1.0.rc.1") and Version("1.0") != "1.0"
        with pytest.raises(TypeError, match="not supported between instances"):
            Version("1.0") < "2.0"  # noqa: B015
