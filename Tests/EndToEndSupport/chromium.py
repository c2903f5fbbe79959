#!/usr/bin/env python3
"""A person at Chromium: opens the authorization URL, takes some steps, and tells what the pages were like.

BSKYAUTH_TEST_STEPS is a JSON array of {"do": VERB}, each of which leads to a page that is looked at: "sign in",
"accept", "reject", "reload"; "visit" opens the "url" in another tab and stays there; "back" closes that tab; "accept
and visit" opens the "url" in another tab once the sandbox has been asked for tokens, which makes two pages, its own
first.
BSKYAUTH_TEST_REPORT is a file (a FIFO) for the JSON of what was seen, and BSKYAUTH_TEST_SCREENSHOTS a prefix of
pictures.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import traceback
import urllib.request
from urllib.parse import urlsplit

from selenium import webdriver  # Debian's python3-selenium
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SCHEMES = ["light", "dark"]
WIDTHS = [900, 360]
PATIENCE = 30  # seconds

# Everything about a page that does not depend on how it is shown.
PAGE = """return {
  url: location.href, title: document.title, language: document.documentElement.lang,
  viewport: document.querySelector('meta[name=viewport]')?.content ?? null, text: document.body.innerText,
  elements: [...document.querySelectorAll('main *')].map(e => e.localName),
  resources: performance.getEntriesByType('resource').map(e => e.name)}"""

# How it is shown: colours as CSS writes them, each with the colour behind it.
LOOK = """
  const behind = e => {
    const color = getComputedStyle(e).backgroundColor;
    return color != 'rgba(0, 0, 0, 0)' || !e.parentElement ? color : behind(e.parentElement);
  };
  const outline = document.querySelector('svg .outline'), sign = document.querySelector('svg .sign');
  return {
    width: innerWidth, contentWidth: document.documentElement.scrollWidth,
    texts: [...document.querySelectorAll('h1, p, footer, a, button, label, textarea')].filter(e => e.checkVisibility())
      .map(e => ({text: e.innerText, color: getComputedStyle(e).color, background: behind(e)})),
    mark: outline && {color: getComputedStyle(sign).stroke, background: getComputedStyle(outline).fill}}"""


class Person:
    # Chromium can reach this machine and nothing else.
    resolver_rules = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"

    def __init__(self, profile, screenshots):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        options.page_load_strategy = "none"  # every wait is one of ours
        arguments = ["headless=new", "disable-dev-shm-usage", "no-proxy-server", "disable-background-networking"]
        arguments += [f"user-data-dir={profile}", f"host-resolver-rules={self.resolver_rules}"]
        if os.geteuid() == 0:
            arguments.append("no-sandbox")  # Chromium's own does not work for root
        for argument in arguments:
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.screenshots = screenshots
        self.pages = []

    def until(self, condition):
        waiting = WebDriverWait(self.driver, PATIENCE, 0.02, ignored_exceptions=[JavascriptException])
        return waiting.until(lambda driver: condition())

    def arrive(self, act):
        """Does what leads to another page, and waits until that is there."""
        self.driver.execute_script("window.isLeft = true")
        act()
        self.until(self.is_there)

    def is_there(self):
        return self.driver.execute_script("return !window.isLeft && document.readyState == 'complete'")

    def click(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def sign_in(self):
        self.driver.find_element(By.ID, "password").send_keys("hunter2")
        self.arrive(lambda: self.click("button[type=submit]"))

    def decide(self, decision):
        self.arrive(lambda: self.click(f"button[value={decision}]"))

    def visit(self, url):
        self.driver.switch_to.new_window("tab")
        self.arrive(lambda: self.driver.get(url))

    def back(self):
        self.driver.close()
        self.driver.switch_to.window(self.driver.window_handles[0])

    def accept_and_visit(self, url):
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        second = self.driver.current_window_handle
        self.driver.switch_to.window(first)
        self.driver.execute_script("window.isLeft = true")
        self.click("button[value=accept]")
        self.until(self.is_exchange_under_way)
        self.driver.switch_to.window(second)
        self.arrive(lambda: self.driver.get(url))
        self.look()
        self.driver.switch_to.window(first)
        self.until(self.is_there)

    def is_exchange_under_way(self):
        origin = urlsplit(sys.argv[1])._replace(path="/_sandbox/journal", query="").geturl()
        with urllib.request.urlopen(origin) as journal:
            return any(json.loads(line).get("grant") == "authorization_code" for line in journal)

    def look(self):
        """Notes what the page is like: in light and dark, on a wide and on a narrow window."""
        page = self.driver.execute_script(PAGE)
        history = self.driver.execute_cdp_cmd("Page.getNavigationHistory", {})
        page["history"] = [entry["url"] for entry in history["entries"]]
        page["looks"] = self.looks()
        self.pages.append(page)

    def looks(self):
        looks = []
        for scheme in SCHEMES:
            for width in WIDTHS:
                feature = {"name": "prefers-color-scheme", "value": scheme}
                self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
                metrics = {"width": width, "height": 640, "deviceScaleFactor": 1, "mobile": False}
                self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
                looks.append({"scheme": scheme, **self.driver.execute_script(LOOK)})
                self.driver.save_screenshot(f"{self.screenshots}-{len(self.pages) + 1}-{scheme}-{width}.png")
        return looks

    def take(self, step):
        match step["do"]:
            case "sign in":
                self.sign_in()
            case "accept" | "reject" as decision:
                self.decide(decision)
            case "accept and visit":
                self.accept_and_visit(step["url"])
            case "visit":
                self.visit(step["url"])
            case "back":
                return self.back()
            case "reload":
                self.arrive(self.driver.refresh)
        self.look()

    def report(self):
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        requests = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return {"pages": self.pages, "requests": requests, "console": self.driver.get_log("browser")}


def trust(authority, home):
    """Has the Chromium of this home directory trust an authority."""
    store = pathlib.Path(home, ".pki/nssdb")
    store.mkdir(parents=True)
    for arguments in (["-N", "--empty-password"], ["-A", "-n", "test", "-t", "C,,", "-i", authority]):
        subprocess.run(["certutil", "-d", f"sql:{store}", *arguments], check=True)


def main():
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("the person has waited too long"))
    signal.alarm(120)
    with open(os.environ["BSKYAUTH_TEST_REPORT"], "w") as report, tempfile.TemporaryDirectory() as profile:
        person = None
        try:
            person = Person(profile, os.environ["BSKYAUTH_TEST_SCREENSHOTS"])
            person.arrive(lambda: person.driver.get(sys.argv[1]))
            for step in json.loads(os.environ["BSKYAUTH_TEST_STEPS"]):
                person.take(step)
            json.dump(person.report(), report)
        except BaseException:
            traceback.print_exc(file=report)
            raise
        finally:
            if person:
                person.driver.quit()


if __name__ == "__main__":
    main()
