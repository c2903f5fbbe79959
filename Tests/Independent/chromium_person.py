#!/usr/bin/env python3
"""A person at Chromium who signs in, accepts, and goes to the end of a login, or to a line to copy.

Debian's Python runs it, which has Selenium. Names come from DNS, and Chromium trusts the authority in SSL_CERT_FILE.
BSKYAUTH_TEST_REPORT is a file (a FIFO) for the JSON of what was seen.
"""
import json
import os
import pathlib
import signal
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "EndToEndSupport"))
from chromium import Person, trust

# The page where a login ends. It is this computer's own page, or a line to copy where no link leads on.
END = """
  if (document.readyState != 'complete') return null;
  const shown = id => {
    const element = document.getElementById(id);
    return element?.checkVisibility() ? element : null;
  };
  const line = shown('line');
  if (location.hostname != '127.0.0.1' && (!line || shown('continue'))) return null;
  return {url: location.href, text: document.body.innerText, line: line?.value ?? null}"""


class Visitor(Person):
    resolver_rules = ""

    def log_in(self, url):
        self.arrive(lambda: self.driver.get(url))
        self.sign_in()
        self.click("button[value=accept]")
        page = self.until(lambda: self.driver.execute_script(END))
        return {**page, "requests": self.report()["requests"]}


def main():
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("the person has waited too long"))
    signal.alarm(120)
    with open(os.environ["BSKYAUTH_TEST_REPORT"], "w") as report, tempfile.TemporaryDirectory() as home:
        trust(os.environ["SSL_CERT_FILE"], home)
        os.environ["HOME"] = home
        visitor = Visitor(os.path.join(home, "profile"), None)
        try:
            json.dump(visitor.log_in(sys.argv[1]), report)
        finally:
            visitor.driver.quit()


main()
