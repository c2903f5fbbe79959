#!/usr/bin/env python3
"""A person at Chromium who comes to the relay page of a static site, and takes some steps there.

usage: relay_page.py FOLDER SCREENSHOTS STEPS      prints a JSON report

FOLDER is served by two hosts. STEPS is a JSON array of {"do": VERB}, and the verbs are the methods of Visitor without
the underscores. Addresses may contain {host}, {stranger} (the other host), {port} (of a listener on this computer) and
{closed} (a port that nobody listens on).
"""
import functools
import http.server
import json
import signal
import socket
import sys
import tempfile
import threading

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from chromium import Person

PAGE = """
  const shown = id => {
    const element = document.getElementById(id);
    return element?.checkVisibility() ? element : null;
  };
  return {
    url: location.href, title: document.title, text: document.body.innerText,
    line: shown('line')?.value ?? null, target: shown('continue')?.getAttribute('href') ?? null,
    links: document.querySelectorAll('a[href]').length, kept: JSON.stringify(history.state),
    selected: getSelection().toString(), timers: window.timers?.filter(timer => timer).length ?? null}"""

# A clock that stands still. The page's own script can't tell.
HELD_CLOCK = """
  window.timers = [];
  window.setTimeout = act => window.timers.push(act);
  window.clearTimeout = number => { window.timers[number - 1] = null; };"""


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.requests = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.server_port}"

    def record(self, handler):
        self.requests.append({"target": handler.path, "headers": {k.lower(): v for k, v in handler.headers.items()}})


class StaticHost(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        self.server.record(self)
        super().do_GET()

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")  # as the header files of the site say
        super().end_headers()

    def log_message(self, *arguments):
        pass


class Listener(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.record(self)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Received</title><link rel=icon href='data:,'>")

    log_message = StaticHost.log_message


class Visitor(Person):
    def __init__(self, folder, *arguments):
        super().__init__(*arguments)
        static = functools.partial(StaticHost, directory=folder)
        self.host, self.stranger, self.listener = Server(static), Server(static), Server(Listener)
        with socket.create_server(("127.0.0.1", 0)) as unused:
            closed = unused.getsockname()[1]
        self.places = {"{host}": self.host.origin, "{stranger}": self.stranger.origin,
                       "{port}": str(self.listener.server_port), "{closed}": str(closed)}

    def hold_clock(self):
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HELD_CLOCK})

    def let_time_pass(self):
        self.driver.execute_script("for (const timer of window.timers) timer?.()")

    def forbid_scripts(self):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})

    def open(self, address):
        """Opens an address as a link of another page does. A new fragment alone would load nothing."""
        self.driver.switch_to.default_content()
        self.arrive(lambda: self.driver.get("about:blank"))
        self.follow(address)

    def follow(self, address):
        """Opens an address in the page that is there."""
        for name, place in self.places.items():
            address = address.replace(name, place)
        self.arrive(lambda: self.driver.get(address))

    def enter_frame(self):
        self.driver.switch_to.frame(0)
        self.until(self.is_there)

    def click_on(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def press(self, keys):
        ActionChains(self.driver).send_keys(getattr(Keys, keys)).perform()

    def select_all(self):
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()

    def await_listener(self):
        self.until(lambda: self.listener.requests and self.driver.title == "Received")

    def await_failure(self):
        failed = "return location.protocol == 'chrome-error:' && document.readyState == 'complete'"
        self.until(lambda: self.driver.execute_script(failed))

    def reload(self):
        self.arrive(self.driver.refresh)

    def back(self):
        """Goes back as the menu of the Back button does."""
        self.arrive(self.driver.back)

    def back_button(self):
        """Goes back as the Back button does, which passes over pages that nobody has touched."""
        def press():
            for kind in ["rawKeyDown", "keyUp"]:
                self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {
                    "type": kind, "key": "ArrowLeft", "code": "ArrowLeft", "windowsVirtualKeyCode": 37,
                    "nativeVirtualKeyCode": 37, "modifiers": 1})
        self.arrive(press)

    def look(self):
        self.pages.append({**self.driver.execute_script(PAGE), "looks": None})

    def look_closely(self):
        page = self.driver.execute_script(PAGE)
        self.pages.append({**page, "looks": self.looks()})

    def take(self, step):
        verb = step.pop("do").replace(" ", "_")
        getattr(self, verb)(**step)

    def report(self):
        places = {name.strip("{}"): place for name, place in self.places.items()}
        return {**super().report(), "places": places, "served": self.host.requests,
                "received": self.listener.requests}


def main():
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("the person has waited too long"))
    signal.alarm(120)
    folder, screenshots, steps = sys.argv[1:]
    with tempfile.TemporaryDirectory() as profile:
        visitor = Visitor(folder, profile, screenshots)
        try:
            for step in json.loads(steps):
                visitor.take(step)
            json.dump(visitor.report(), sys.stdout)
        finally:
            visitor.driver.quit()


main()
