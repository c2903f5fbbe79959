"""The server of an account sends pages and scripts, and a browser has the victim's account in the same session."""
import json
import os

import pytest

from parts import Browser

pytestmark = pytest.mark.skipif(
    not os.path.exists("/usr/bin/chromedriver") and not os.environ.get("BSKYAUTH_TEST_CHROMIUM"),
    reason="Chromium is missing")

CALL = "/xrpc/com.atproto.repo.listRecords?repo=did:web:x"

#: Moves the session to the victim's account, and leaves a mark in the storage of the origin.
ATTACK = """
localStorage.ran = "yes";
const request = new XMLHttpRequest();
request.open("POST", "/api/accounts/switch", false);
request.setRequestHeader("content-type", "application/json");
request.send(JSON.stringify({account: "VICTIM"}));
"""
#: The same as a page, a picture and a script, which is also that of a worker.
FORMS = {
    "html": ("text/html", "<!doctype html><script>ATTACK</script>"),
    "svg": ("image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"><script><![CDATA[ATTACK]]></script></svg>'),
    "js": ("text/javascript", "if (self.document) { ATTACK } else { self.postMessage?.('ran') }"),
}

#: Each way by which a page can load an address. Tells which of them loaded something.
LOAD = """
const [url] = given, loaded = [];
const element = (name, set) => new Promise(resolve => {
  const made = Object.assign(document.createElement(name), set);
  made.onload = () => { loaded.push(name); resolve() };
  made.onerror = resolve;
  document.body.append(made);
});
const worker = new Promise(resolve => {
  let made;
  try { made = new Worker(url) } catch { return resolve() }
  made.onmessage = () => { loaded.push('worker'); resolve() };
  made.onerror = resolve;
});
await Promise.all([
  element('script', {src: url}), element('iframe', {src: url}), element('img', {src: url}),
  element('embed', {src: url}), element('object', {data: url}), element('link', {rel: 'stylesheet', href: url}), worker,
  import(url).then(() => loaded.push('import'), () => {}),
  navigator.serviceWorker.register(url, {scope: '/app/'}).then(
    registration => { loaded.push('serviceWorker'); return registration.unregister() }, () => {}),
]);
return loaded"""

RAN = "return localStorage.ran ?? null"


class Scene:
    """A browser with two accounts. The attacker's is active, and its server sends what the test says."""

    def __init__(self, sandbox, server, site, chromium):
        self.sandbox, self.site, self.chromium = sandbox, site, chromium
        browser = Browser(server)
        browser.log_in("alice.test")
        self.victim = browser.get("/api/auth/session").json["account"]
        browser.log_in("bob.test")
        self.attacker = browser.get("/api/auth/session").json["account"]
        site.page("empty.html", "<!doctype html><title>empty</title><body>")
        for form in FORMS:
            site.page(f"hostile.{form}", self.body(form))
        chromium.adopt(browser)

    def body(self, form):
        return FORMS[form][1].replace("ATTACK", ATTACK).replace("VICTIM", self.victim)

    def answer(self, form, status=200, headers=()):
        type, _ = FORMS[form]
        self.sandbox.faults({
            "match": {"path": CALL.split("?")[0]},
            "action": {"respond": {
                "status": status, "body": self.body(form),
                "headers": {"content-type": type, "service-worker-allowed": "/", **dict(headers)}}}})

    def at(self, page, origin=None):
        self.chromium.open((origin or self.site.origin) + page)

    def load(self, url, origin=None):
        self.at("/app/empty.html", origin)
        return self.chromium.run(LOAD, url)

    def is_unharmed(self):
        self.at("/app/empty.html")
        active = self.chromium.run("return (await (await fetch('/api/auth/session')).json()).account")
        return self.chromium.run(RAN) is None and active == self.attacker


@pytest.fixture
def scene(sandbox, own_server, tmp_path_factory):
    from chromium_site import Chromium, Site
    site = Site(tmp_path_factory.mktemp("site"), own_server)
    try:
        chromium = Chromium(site)
        try:
            yield Scene(sandbox, own_server, site, chromium)
        finally:
            chromium.driver.quit()
    finally:
        site.stop()


def test_nothing_of_a_hostile_server_runs(scene, journal):
    from chromium_site import STRANGER
    for form in FORMS:
        scene.answer(form)
        # A script of our own page may read the answer, and a browser sees no page in it.
        scene.at("/app/empty.html")
        answer = scene.chromium.run(
            "const answer = await fetch(given[0]);"
            "return [answer.status, answer.headers.get('content-type'), await answer.text()]", CALL)
        assert answer == [200, "application/octet-stream", scene.body(form)]

        # Opened as a page, by a person, by our own page and by another site.
        scene.at(CALL)
        assert "foreign_origin" in scene.chromium.run("return document.body.innerText")
        for origin in scene.site.origin, STRANGER:
            scene.at("/app/empty.html", origin)
            scene.chromium.arrive(
                lambda: scene.chromium.driver.execute_script(f"location = {json.dumps(scene.site.origin + CALL)}"))

        # A frame and an object load the refusal.
        assert set(scene.load(CALL)) <= {"iframe", "object", "embed"}
        assert set(scene.load(scene.site.origin + CALL, STRANGER)) <= {"iframe", "object", "embed"}
        assert scene.is_unharmed(), form

    # The same things of our own origin run, so the test sees what runs.
    assert {"script", "worker", "import", "serviceWorker"} <= set(scene.load("/app/hostile.js"))
    assert not scene.is_unharmed()
    assert not journal(path="/xrpc/com.atproto.repo.createRecord")


@pytest.mark.parametrize("form", ["html", "svg"])
def test_the_attack_works_where_it_runs(scene, form):
    scene.at(f"/app/hostile.{form}")
    assert not scene.is_unharmed()


def test_cookies_and_redirects_of_a_hostile_server_have_no_effect(scene):
    scene.answer("html", 302, {
        "location": "https://evil.example/app/empty.html", "set-cookie": "__Host-sid=evil; Path=/; Secure",
        "clear-site-data": '"cookies", "storage"', "refresh": "0;url=https://evil.example/app/empty.html"})
    scene.at("/app/empty.html")
    seen = scene.chromium.run(
        "localStorage.kept = 'yes'; const answer = await fetch(given[0]);"
        "return [answer.status, answer.redirected, localStorage.kept]", CALL)
    assert seen == [302, False, "yes"]
    assert scene.is_unharmed()


def test_page_of_another_site_calls_nothing(scene, sandbox):
    from chromium_site import STRANGER
    sandbox.faults()
    scene.at("/app/empty.html", STRANGER)
    sandbox.control("POST", "journal/reset")
    seen = scene.chromium.run("""
      const call = (init) => fetch(given[0], {credentials: 'include', ...init}).then(() => 'read', () => 'refused');
      const results = [await call({}), await call({mode: 'no-cors'}), await call({method: 'POST', body: '{}'})];
      const frame = Object.assign(document.createElement('iframe'), {name: 'frame'});
      const form = Object.assign(document.createElement('form'), {method: 'post', action: given[0], target: 'frame'});
      document.body.append(frame, form);
      await new Promise(resolve => { frame.onload = resolve; form.submit() });
      return results""", scene.site.origin + "/xrpc/com.atproto.repo.createRecord")
    assert seen == ["refused"] * 3
    assert sandbox.journal(role="pds") == []
    assert scene.is_unharmed()
