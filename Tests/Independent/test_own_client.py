"""A client of a user's own, from `client init` to `logout`, with its files at a static host."""
import os

import pexpect
import pytest
import requests

import names
import people
import static_site

in_chromium = pytest.mark.skipif(
    not people.HAS_CHROMIUM and os.environ.get("BSKYAUTH_TEST_CHROMIUM") != "1",
    reason="chromium, chromium-driver, python3-selenium or libnss3-tools is not there: no page was looked at",
)


def use(home, network):
    """All that follows a login, to the logout. Every request to the issuer proves the client's key."""
    assert home.succeed("call", "com.atproto.server.getSession")["did"] == network.did(names.ALICE)
    home.succeed("refresh", "--force")
    home.succeed("call", "com.atproto.repo.createRecord", *people.POST)
    (result,) = home.succeed("logout", names.ALICE)["results"]
    assert result["revoked"] == "confirmed"
    assert home.succeed("accounts")["accounts"] == []
    asked = [line for line in network.sandbox.journal() if line["path"].startswith("/oauth/") and line["proof"]]
    assert {line["path"] for line in asked} == {"/oauth/par", "/oauth/token", "/oauth/revoke"}
    assert all(line["assertion"] and line["client_id"] == names.CLIENT_ID for line in asked)
    assert [line["grant"] for line in asked if line["consumed"]] == ["authorization_code", "refresh_token"]


def require_clean(log, answer, browser):
    """The browser came to the page, and the host's log has nothing of the answer that it brought there."""
    assert {"code", "state", "iss"} <= set(answer)
    assert [line for line in log if '"GET /callback.html HTTP' in line and browser in line]
    assert static_site.lines_with(answer, log) == []


@in_chromium
def test_whole_session_in_chromium(network, home, client, site, tmp_path):
    checked = home.succeed("client", "check", "bot")
    assert checked["ok"] and checked["findings"] == []
    chromium = people.Chromium(tmp_path)
    home.succeed("login", names.ALICE, "--client", "bot", "--timeout", "2m", **chromium.environment())
    seen = chromium.seen()
    assert seen["text"].startswith(f"Signed in as @{names.ALICE}")
    (redirect,) = [url for url in seen["requests"] if url.startswith("http://127.0.0.1:")]
    use(home, network)
    require_clean(site.log(), people.parameters(redirect), "Chrome")


def line_in_chromium(url, home, directory):
    """The line to copy, as the page shows it."""
    chromium = people.Chromium(directory)
    chromium.open(url, home.environment)
    return chromium.seen()["line"]


def line_without_a_browser(url, home, directory):
    """The line to copy, made as the script of the page makes it. The page is fetched, as a browser would."""
    redirect = people.approve(url, home.authority, directory)
    assert redirect.startswith(f"{names.CALLBACK}#")
    assert requests.get(redirect, verify=home.authority.file).status_code == 200
    return redirect.replace("#", "?")


@pytest.mark.parametrize(
    "line_of, browser",
    [pytest.param(line_in_chromium, "Chrome", marks=in_chromium), (line_without_a_browser, "python-requests")],
    ids=["chromium", "plain"],
)
def test_whole_session_by_paste(network, home, client, site, tmp_path, line_of, browser):
    login = people.at_terminal(home, "login", names.ALICE, "--client", "bot", "--no-browser")
    login.expect(f"({names.ISSUER}/oauth/authorize\\S+)")
    url = login.match.group(1)
    login.expect("paste the URL")
    line = line_of(url, home, tmp_path)
    assert line.startswith(f"{names.CALLBACK}?")
    login.sendline(line)
    login.expect(pexpect.EOF)
    assert login.wait() == 0, login.before
    use(home, network)
    require_clean(site.log(), people.parameters(line), browser)


def test_the_log_would_show_an_answer(client, site, network):
    """The host of a client whose answer comes as a query, and a page that hands its address on."""
    answer = {"code": "cod-0123", "state": "8080.abcdefghij", "iss": names.ISSUER}
    trusted = {"verify": network.authority.file}
    requests.get(names.CALLBACK, params=answer, **trusted)
    requests.get(names.CALLBACK, headers={"referer": f"{names.CLIENT}#code%3dcod-9"}, **trusted)
    requests.get(f"{names.CLIENT}cod-0123", **trusted)
    requests.get(names.CALLBACK, **trusted)
    log = site.log()
    assert len(log) == 4 and static_site.lines_with(answer, log) == log[:3]


def test_the_published_files_have_no_private_key(home, client):
    home.succeed("client", "rotate", "bot", "--key-label", "next", "--github")
    assert (client / "oauth-client-metadata.json").read_text().count('"kid"') == 2
    assert static_site.files_with_private_key(client) == []


@pytest.mark.parametrize("text", ['{"kty":"EC","d" : "AAAA"}', "-----BEGIN EC PRIVATE KEY-----"])
def test_a_planted_private_key_is_found(client, text):
    planted = client / "headers/key"
    planted.write_text(text)
    assert static_site.files_with_private_key(client) == [planted]
