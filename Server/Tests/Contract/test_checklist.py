"""The checklist of the fourth ancestor of this server, in Chromium. Each step has a new process of the server and a new browser."""
import contextlib
import os
import pathlib

import pytest
from parts import Server, free_port

pytestmark = pytest.mark.skipif(
    not os.path.exists("/usr/bin/chromedriver") and not os.environ.get("BSKYAUTH_TEST_CHROMIUM"),
    reason="Chromium is missing")

#: Makes records as every account at the same time, and tells whose repository each one is in.
PARALLEL = """
const {accounts} = await (await fetch("/api/accounts")).json();
const calls = accounts.flatMap(({account, did}) => Array.from({length: 20}, async (_, number) => {
  const answer = await fetch("/xrpc/com.atproto.repo.createRecord", {
    method: "POST", headers: {"content-type": "application/json", "bskyauth-account": account},
    body: JSON.stringify({repo: did, collection: "app.bsky.feed.post", record: {
      $type: "app.bsky.feed.post", text: `${number}`, createdAt: new Date().toISOString()}})});
  return [answer.status, (await answer.json()).uri?.startsWith(`at://${did}/`)];
}));
return await Promise.all(calls)"""


class Stage:
    """A server behind nginx, and the profile of one browser."""

    def __init__(self, folder, sandbox):
        from chromium_site import Site
        (folder / "server").mkdir()
        self.sandbox = sandbox
        self.server = Server(
            folder / "server", sandbox, base="https://app.example.com", listen=f"127.0.0.1:{free_port()}")
        self.site = Site(folder, self.server)
        self.site.page("empty.html", "<!doctype html><title>empty</title><body>")

    @contextlib.contextmanager
    def step(self):
        from chromium_site import Chromium
        self.server.stop()
        self.server.start()
        chromium = Chromium(self.site)
        try:
            yield chromium
        finally:
            chromium.driver.quit()

    def log_in(self, chromium, handle):
        from selenium.webdriver.common.by import By
        chromium.open(self.server.base + "/login")
        chromium.driver.find_element(By.ID, "handle").send_keys(handle)
        chromium.arrive(lambda: chromium.click("button[type=submit]"))
        chromium.until(lambda: chromium.driver.find_elements(By.ID, "password"))
        chromium.sign_in()
        chromium.click("button[value=accept]")
        chromium.until(
            lambda: chromium.driver.current_url == self.server.base + "/accounts" and chromium.is_there())

    def accounts(self, chromium):
        chromium.open(self.server.base + "/accounts")
        return chromium.driver.execute_script(
            "return [...document.querySelectorAll('li')].map(item =>"
            " [item.querySelector('strong').innerText, !!item.querySelector('.active')])")

    def stop(self):
        self.site.stop()
        self.server.stop()


@pytest.fixture
def stage(sandbox, tmp_path):
    stage = Stage(tmp_path, sandbox)
    yield stage
    stage.stop()


def vault(stage):
    folder = pathlib.Path(stage.server.folder / "state/vault/accounts")
    return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_checklist(stage, sandbox, journal):
    handles = ["alice.test", "bob.test", "carol.example.com"]
    sandbox.control("POST", "accounts", {"handle": handles[2]})
    client = f"{stage.server.base}/oauth-client-metadata.json"

    def living():
        return [session["did"] for session in sandbox.sessions() if session["client_id"] == client]

    # 1-3: a handle that a server gives, a domain of one's own, and several accounts.
    for number, handle in enumerate(handles):
        with stage.step() as chromium:
            stage.log_in(chromium, handle)
            assert stage.accounts(chromium) == [
                [f"@{name}", name == handle] for name in handles[:number + 1]]
    # 4: a switch asks nobody.
    with stage.step() as chromium:
        stage.accounts(chromium)
        sandbox.control("POST", "journal/reset")
        chromium.arrive(lambda: chromium.click("button[aria-label='Use @alice.test']"))
        assert journal() == []
        assert stage.accounts(chromium) == [[f"@{name}", name == "alice.test"] for name in handles]
    # 5: accounts that nobody uses are refreshed.
    assert stage.server.sweep_idle()["refreshed"] == 3 == len(journal(grant="refresh_token", status=200))
    # 6: everything is there after a restart, which each step begins with. 8: all accounts at the same time.
    with stage.step() as chromium:
        chromium.open(stage.server.base + "/app/empty.html")
        assert chromium.run(PARALLEL) == [[200, True]] * 60
    # 7: a logout ends one account, and leaves the others as they are.
    before = vault(stage)
    with stage.step() as chromium:
        stage.accounts(chromium)
        chromium.arrive(lambda: chromium.click("button[aria-label='Log out @bob.test']"))
        assert stage.accounts(chromium) == [["@alice.test", True], ["@carol.example.com", False]]
    assert sandbox.dids["bob.test"] not in living() and len(living()) == 2
    after = vault(stage)
    assert after.items() <= before.items()
    assert len({path.parts[0] for path in before}) == 3 and len({path.parts[0] for path in after}) == 2
