"""Names that are asked for over https (RFC 8484), where the system's own resolver knows nothing of them."""
import dns.flags
import dns.message
import dns.rcode
import pytest

import names
import network as parts

NAME = f"_atproto.{names.ALICE}"


@pytest.fixture
def resolver(network, home):
    """A server on this machine, whose private address is no hindrance since the user named it."""
    network.resolver.texts.pop(NAME)
    network.resolver.start()
    resolver = parts.SecureResolver(network.authority)
    # Too long for one character-string.
    resolver.texts[NAME] = ['"v=spf1 -all"', f'"did=" "{network.did(names.ALICE)}"']
    home.environment["BSKYAUTH_DNS_SERVER"] = resolver.url
    yield resolver
    resolver.stop()


# covers: R4, D2
def test_whole_login(network, home, resolver):
    home.fail(6, "login", names.ALICE, BSKYAUTH_DNS_SERVER="")
    home.succeed("login", names.ALICE)
    (account,) = home.succeed("accounts")["accounts"]
    assert (account["did"], account["handle"]) == (network.did(names.ALICE), names.ALICE)
    # Once to find the account, once to prove it; equal questions are equal bytes.
    message = "application/dns-message"
    assert resolver.requests == [("/dns-query", message, message, 0, NAME)] * 2


def test_a_handle_that_nobody_has(home, resolver):
    home.fail(6, "login", f"nobody.{names.DOMAIN}")
    assert [request[-1] for request in resolver.requests] == [f"_atproto.nobody.{names.DOMAIN}"]


def test_conflicting_records_decide_nothing(network, home, resolver):
    resolver.texts[NAME].append(f'"did={network.did(names.BOB)}"')
    home.fail(13, "login", names.ALICE)


def cut_short(status, fields, body):
    message = dns.message.from_wire(body)
    message.flags |= dns.flags.TC
    return status, fields, message.to_wire()


def another_question(status, fields, body):
    message = dns.message.from_wire(body)
    message.question = dns.message.make_query("_atproto.mallory.com", "TXT").question
    return status, fields, message.to_wire()


@pytest.mark.parametrize(
    "amend",
    [
        lambda status, fields, body: (status, {"content-type": "text/html"}, b"<p>Log in to the network</p>"),
        lambda status, fields, body: (status, {"content-type": "application/dns-json"}, body),
        lambda status, fields, body: (404, fields, body),
        lambda status, fields, body: (status, fields, body + b"\0" * 65536),
        lambda status, fields, body: (status, fields, body[:-1]),
        cut_short,
        another_question,
    ],
    ids=["portal", "media-type", "status", "too-long", "broken-off", "truncated", "question"],
)
# covers: D2
def test_what_is_no_answer(network, home, resolver, amend):
    resolver.amend = amend
    assert home.fail(12, "login", names.ALICE)["code"] == "identity_unavailable"
    assert network.sandbox.journal() == []


@pytest.mark.parametrize("code", [dns.rcode.SERVFAIL, dns.rcode.REFUSED], ids=dns.rcode.to_text)
def test_a_server_that_does_not_know(home, resolver, code):
    resolver.code = code
    home.fail(12, "login", names.ALICE)


def test_a_redirect_is_not_followed(home, resolver):
    resolver.amend = lambda status, fields, body: (307, {"location": resolver.url + "/elsewhere"}, b"")
    assert "HTTP 307" in home.fail(12, "login", names.ALICE)["message"]
    assert len(resolver.requests) == 1


def test_a_ca_that_did_not_sign(home, network, resolver, tmp_path):
    stranger = parts.SecureResolver(parts.Authority(tmp_path / "stranger"))
    stranger.texts = resolver.texts
    try:
        error = home.fail(12, "login", names.ALICE, BSKYAUTH_DNS_SERVER=stranger.url)
    finally:
        stranger.stop()
    # It has the name of the one that did: only its signature is wrong.
    assert "TLS connection to" in error["message"] and stranger.requests == []
