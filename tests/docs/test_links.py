"""Every link within the site has a target, and the references are complete."""

import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from conftest import ROOT, SITE

sys.path.insert(0, str(ROOT / "bindings"))


class Anchors(HTMLParser):
    """Returns the links, anchors and resources of a page."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.links, self.anchors, self.assets = set(), set(), set()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if values.get("id"):
            self.anchors.add(values["id"])
        if tag == "a" and values.get("href"):
            self.links.add(values["href"])
        if tag in ("script", "img", "source") and values.get("src"):
            self.assets.add(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload"):
            self.assets.add(values["href"])


def list_html_pages() -> list[Path]:
    found = sorted(SITE.rglob("*.html"))
    assert len(found) > 30, f"there is no whole site in {SITE}: scripts/docs builds it"
    return found


@cache
def parse_anchors(page: Path) -> Anchors:
    anchors = Anchors()
    anchors.feed(page.read_text(encoding="utf-8"))
    return anchors


@pytest.mark.timeout(900)
def test_no_internal_link_is_broken():
    broken = []
    for page in list_html_pages():
        for link in parse_anchors(page).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
            if not target.exists():
                broken.append(f"{page.relative_to(SITE)}: {link}")
            elif (
                parts.fragment
                and target.suffix == ".html"
                and unquote(parts.fragment) not in parse_anchors(target).anchors
            ):
                broken.append(f"{page.relative_to(SITE)}: {link} (no such anchor)")
    assert broken == []


def test_pages_take_nothing_from_a_network():
    outside = {asset for page in list_html_pages() for asset in parse_anchors(page).assets if urlsplit(asset).netloc}
    foreign = re.compile(r"(url\(|@import)\s*['\"]?(https?:)?//")
    styles = [css for css in SITE.rglob("*.css") if foreign.search(css.read_text())]
    assert outside == set() and styles == []


def test_every_symbol_of_the_c_abi_has_an_entry():
    ledger = (ROOT / "capi/abi/ledger.txt").read_text().split("\n")
    symbols = {line.split()[0] for line in ledger if line and not line.startswith("#")}
    entries = {anchor for page in (SITE / "reference/c").glob("*.html") for anchor in parse_anchors(page).anchors}
    assert sorted(symbol for symbol in symbols if f"c.{symbol}" not in entries) == []


def test_every_operator_has_an_entry():
    from generator import schema

    names = {s.base_name for s in schema.read_registry(ROOT / "build/release/generated/registry.json")}
    entries = {
        anchor for page in (SITE / "reference/operators").glob("*.html") for anchor in parse_anchors(page).anchors
    }
    assert sorted(name for name in names if f"operator-{name}" not in entries) == []


PUBLIC = [
    "torch.lerp",
    "torch.Tensor.lerp_",
    "torch.nn.Linear",
    "torch.nn.functional.cross_entropy",
    "torch.optim.AdamW",
    "torch.optim.lr_scheduler.OneCycleLR",
    "torch.distributions.Normal",
    "torch.linalg.svd",
    "torch.autograd.Function",
    "torch.utils.data.DataLoader",
    "torch.save",
    "torch.func.jacrev",
    "torch.distributed.all_reduce",
    "torch.nn.Module.state_dict",
]


@pytest.mark.parametrize("name", PUBLIC)
def test_name_used_by_programs_has_an_entry(name):
    assert any(name in parse_anchors(page).anchors for page in (SITE / "reference/python").glob("*.html"))
