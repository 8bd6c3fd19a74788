"""The site in a real browser: search, phone width, empty console; screenshots in build/docs/screenshots."""

import functools
import http.server
import json
import shutil
import threading
import time

import pytest
from conftest import SCREENSHOTS, SITE
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

WIDE, PHONE = (1280, 900), (390, 844)
SHOWN = [
    "index",
    "start",
    "from-torch",
    "small-images",
    "files",
    "distributed",
    "npu",
    "extensions",
    "differences",
    "benchmarks",
    "c",
    "cpp",
    "abi",
    "languages/index",
    "languages/ruby",
    "contributing/index",
    "contributing/house",
    "contributing/operator",
    "contributing/glossary",
    "reference/c/index",
    "reference/c/tensor",
    "reference/operators/index",
    "reference/operators/pointwise",
    "reference/python/index",
    "reference/python/torch-nn-losses",
    "reference/python/torch-optim",
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def site_address():
    assert (SITE / "index.html").exists(), f"there is no site in {SITE}: scripts/docs builds it"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert chromium and driver, "Chromium is missing: apt-get install chromium chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    made = webdriver.Chrome(options=options, service=Service(driver))
    made.set_page_load_timeout(180)
    yield made
    made.quit()


@pytest.fixture(scope="module", autouse=True)
def empty_screenshot_folder():
    shutil.rmtree(SCREENSHOTS, ignore_errors=True)
    SCREENSHOTS.mkdir(parents=True)


def resize_window(browser, size):
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def list_console_messages(browser) -> list[str]:
    """Returns the console's messages since the last call."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def list_requested_hosts(browser) -> set[str]:
    """Returns every host that was requested since the last call."""
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    urls = (m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent")
    return {url.split("/")[2].split(":")[0] for url in urls if url.startswith("http")}


def save_screenshot(browser, name: str):
    browser.save_screenshot(str(SCREENSHOTS / f"{name.replace('/', '-')}.png"))


def list_site_pages() -> list[str]:
    return sorted(str(page.relative_to(SITE)) for page in SITE.rglob("*.html"))


def search_site(browser, base: str, word: str) -> list[str]:
    browser.get(f"{base}/search.html?q={word}")
    searched = (
        "return document.querySelector('#search-results .search-summary')?.textContent.match(/finished|not match/)"
    )
    WebDriverWait(browser, 30).until(lambda b: b.execute_script(searched))
    return [link.get_attribute("href") for link in browser.find_elements(By.CSS_SELECTOR, "#search-results li a")]


@pytest.mark.parametrize("served", [True, False], ids=["served", "opened from the disk"])
def test_the_search_finds_lerp(browser, site_address, served):
    resize_window(browser, WIDE)
    list_console_messages(browser)
    found = search_site(browser, site_address if served else SITE.as_uri(), "lerp")
    save_screenshot(browser, "search-lerp" if served else "search-lerp-from-disk")
    assert any("reference/operators/" in link and "lerp" in link for link in found)
    assert any("torch.lerp" in link for link in found)
    assert list_console_messages(browser) == []


@pytest.mark.parametrize("word", ["mt_tensor_from_copy", "CrossEntropyLoss", "ownership", "torchrun"])
def test_search_finds_symbols_classes_and_terms(browser, site_address, word):
    resize_window(browser, WIDE)
    assert search_site(browser, site_address, word)


@pytest.fixture(scope="module")
def open_every_page(browser, site_address) -> dict[str, tuple[int, list[str]]]:
    """Opens every page once at a phone's width; returns the width and the console's messages."""
    resize_window(browser, PHONE)
    list_console_messages(browser), list_requested_hosts(browser)
    found = {}
    for page in list_site_pages():
        browser.get(f"{site_address}/{page}")
        found[page] = (
            browser.execute_script("return document.documentElement.scrollWidth"),
            list_console_messages(browser),
        )
    return found


@pytest.mark.timeout(900)
def test_no_page_complains(open_every_page):
    assert {page: said for page, (_, said) in open_every_page.items() if said} == {}


def test_no_page_is_wider_than_a_phone(open_every_page):
    assert {page: width for page, (width, _) in open_every_page.items() if width > PHONE[0]} == {}


def test_pages_load_nothing_from_other_hosts(browser, open_every_page):
    assert open_every_page
    assert list_requested_hosts(browser) <= {"127.0.0.1"}


def test_a_phones_menu_opens(browser, site_address):
    resize_window(browser, PHONE)
    browser.get(f"{site_address}/start.html")
    browser.find_element(By.CSS_SELECTOR, "label.nav-overlay-icon, .mobile-header label[for='__navigation']").click()
    # A link has no text until the menu shows it.
    WebDriverWait(browser, 10).until(lambda b: b.find_elements(By.LINK_TEXT, "The C guide"))
    time.sleep(0.5)
    save_screenshot(browser, "phone-menu")


@pytest.mark.parametrize("page", SHOWN)
def test_a_page_has_its_heading_and_text(browser, site_address, page):
    for kind, size in (("wide", WIDE), ("phone", PHONE)):
        resize_window(browser, size)
        browser.get(f"{site_address}/{page}.html")
        save_screenshot(browser, f"{kind}-{page}")
        article = browser.find_element(By.TAG_NAME, "article")
        assert article.find_element(By.TAG_NAME, "h1").text and len(article.text) > 200
    for image in browser.find_elements(By.CSS_SELECTOR, "article img"):
        assert browser.execute_script("return arguments[0].complete && arguments[0].naturalWidth > 0", image)


def test_pictures_name_their_machine(browser, site_address):
    resize_window(browser, WIDE)
    browser.get(f"{site_address}/_images/avx512-programs.svg")
    assert "EPYC" in browser.page_source and "torch 2.13.0" in browser.page_source
