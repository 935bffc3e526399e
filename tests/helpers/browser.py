"""Headless Chromium for the tests of pages.

Without Chromium, its driver or selenium they are skipped; LOCOMO_REQUIRE_BROWSER=1 makes that a failure.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
DRIVER = "chromedriver"
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # root, as in a container, has no other way
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    """One window: open a page at a size and in a colour scheme, and hear what it did."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(
        self, page: Path, fragment: str = "", *, width: int = 1280, height: int = 900, dark: bool = False
    ) -> None:
        """Load the page anew (a changed fragment alone would not)."""
        self.driver.get("about:blank")
        self.heard()
        # Through the protocol, because a window is never narrower than some 500 pixels.
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get(page.resolve().as_uri() + (f"#{fragment}" if fragment else ""))

    def heard(self) -> tuple[list[str], list[str]]:
        """Since the last call: what stands on the console, and the addresses that were asked for."""
        console = [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")]
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        requests = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return console, requests

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script of function-body shape returns."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, enough: Callable[[Any], bool], seconds: float = 10) -> Any:
        """What a script returns, as soon as it is enough."""
        end = time.monotonic() + seconds
        while not enough(found := self.run(script)):
            assert time.monotonic() < end, f"{script}: still {found!r}"
            time.sleep(0.02)
        return found

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window, less the scroll bar."""
        return int(
            self.run("const page = document.documentElement; return page.scrollWidth - page.clientWidth")
        )

    def press(self, *keys: str) -> None:
        """Type on the keyboard, wherever the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()


@pytest.fixture(scope="session")
def _driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    binary = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    driver = shutil.which(DRIVER)
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        webdriver = None
    if not (webdriver and binary and driver):
        missing = "selenium" if not webdriver else "chromium" if not binary else DRIVER
        _give_up(f"no {missing} to open the page in; install it to run this test")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    running = webdriver.Chrome(options=options, service=Service(driver))
    yield running
    running.quit()


@pytest.fixture
def browser(_driver: Any) -> Browser:
    """Headless Chromium; one process serves the whole run."""
    return Browser(_driver)


def _give_up(reason: str) -> None:
    if os.environ.get("LOCOMO_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
