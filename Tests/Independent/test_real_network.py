"""The product without a dev network: names in DNS, https on port 443, entryway and PDS as two hosts."""
import socket

import pytest

import names
import network as parts
import people


def log_in(home, network, identifier, handle):
    home.succeed("login", identifier)
    (account,) = home.succeed("accounts")["accounts"]
    assert account["did"] == network.did(handle) and account["handle"] == handle
    assert account["issuer"] == names.ISSUER and account["pds"] == names.PDS_ORIGIN


@pytest.mark.parametrize(
    "identifier, handle",
    [
        (names.ALICE, names.ALICE),
        ("@" + names.ALICE.upper(), names.ALICE),
        (names.BOB, names.BOB),
        (names.CAROL, names.CAROL),
        (names.CAROL_DID, names.CAROL),
        (names.PDS_ORIGIN, names.ALICE),
        (names.ISSUER, names.ALICE),
    ],
    ids=["dns", "loud", "well-known", "web-by-handle", "web-by-did", "pds", "entryway"],
)
# covers: C1, D3
def test_whole_session(network, home, identifier, handle):
    home.environment["BSKYAUTH_TEST_BROWSER"] = f"as {handle}"
    log_in(home, network, identifier, handle)
    did = network.did(handle)
    assert home.succeed("call", "com.atproto.server.getSession")["did"] == did
    made = home.succeed("call", "com.atproto.repo.createRecord", *people.POST)
    assert made["uri"].startswith(f"at://{did}/")
    home.succeed("refresh", "--force")
    assert home.succeed("call", "com.atproto.server.getSession")["handle"] == handle
    home.succeed("logout", "--all", "--yes")
    assert home.succeed("accounts")["accounts"] == []
    journal = network.sandbox.journal()
    assert journal[-1]["path"] == "/oauth/revoke" and journal[-1]["session_ended"]
    # Tokens come from the entryway and are used at the PDS, with a host and a proof of its own.
    assert {line["proof"]["payload"]["htu"] for line in journal if line["path"] == "/oauth/token"} == {
        names.ISSUER + "/oauth/token"
    }
    assert {line["role"] for line in journal if line["ath_ok"]} == {"pds"}


# covers: R6
def test_dns_outranks_the_handles_own_host(network, home):
    network.resolver.addresses[names.ALICE] = [names.SERVERS]
    network.resolver.texts[f"_atproto.{names.ALICE}"] = [f"did={network.did(names.BOB)}"]
    network.resolver.start()
    # The host says alice, DNS says bob, and bob's document does not claim the name.
    assert home.fail(13, "login", names.ALICE)["code"] == "identity_mismatch"


# covers: R4, D4
def test_conflicting_records_decide_nothing(network, home):
    network.resolver.addresses[names.ALICE] = [names.SERVERS]
    network.resolver.texts[f"_atproto.{names.ALICE}"].append(f"did={network.did(names.BOB)}")
    network.resolver.start()
    home.fail(13, "login", names.ALICE)


def test_other_texts_beside_the_record_are_ignored(network, home):
    texts = network.resolver.texts[f"_atproto.{names.ALICE}"]
    # The same record twice, and a text too long for one string.
    texts += ["v=spf1 -all", "google-site-verification=" + "x" * 220, texts[0]]
    network.resolver.start()
    log_in(home, network, names.ALICE, names.ALICE)


def test_a_handle_that_nobody_has(network, home):
    home.fail(6, "login", f"nobody.{names.DOMAIN}")


def test_a_host_that_is_nobodys_handle(network, home):
    network.resolver.addresses[f"shop.{names.DOMAIN}"] = [names.SERVERS]
    network.resolver.start()
    home.fail(6, "login", f"shop.{names.DOMAIN}")


# covers: R85
@pytest.mark.parametrize("status", [401, 403, 451, 500])
def test_a_host_that_refuses_to_say_whose_handle_it_is(network, home, status):
    page = {"status": status, "body": "<p>no</p>" * 500}
    network.sandbox.fault({"respond": page}, path="/.well-known/atproto-did")
    for account in (names.BOB, network.did(names.BOB)):
        assert home.fail(12, "resolve", account)["code"] == "identity_unavailable"
    home.fail(12, "login", names.BOB)
    # Nothing is remembered.
    network.sandbox.control("POST", "faults", [])
    assert home.succeed("resolve", network.did(names.BOB))["handle"] == names.BOB
    log_in(home, network, names.BOB, names.BOB)


# covers: R85
@pytest.mark.parametrize("status, body", [(404, ""), (410, ""), (200, "<p>welcome</p>" * 500)])
def test_a_host_that_has_no_handle(network, home, status, body):
    network.sandbox.fault({"respond": {"status": status, "body": body}}, path="/.well-known/atproto-did")
    assert home.fail(6, "resolve", names.BOB)["code"] == "identity_not_found"
    home.fail(6, "login", names.BOB)
    assert home.succeed("resolve", network.did(names.BOB))["handle"] is None


def test_no_resolver(network, home):
    network.resolver.stop()
    home.fail(12, "login", names.ALICE)


def test_a_silent_resolver(network, home):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 5354))
        home.fail(12, "login", names.ALICE, BSKYAUTH_DNS_SERVER="127.0.0.1:5354")
        assert silent.recv(512)


def test_a_named_resolver(network, home, tmp_path):
    record = network.resolver.texts.pop(f"_atproto.{names.ALICE}")
    network.resolver.start()
    home.fail(6, "login", names.ALICE)
    other = parts.Resolver(tmp_path / "other", "127.0.0.1", 5353)
    other.texts = {f"_atproto.{names.ALICE}": record}
    other.start()
    try:
        home.environment["BSKYAUTH_DNS_SERVER"] = "127.0.0.1:5353"
        log_in(home, network, names.ALICE, names.ALICE)
    finally:
        other.stop()
    # And when that one is silent, nothing is known: not the same as nobody.
    home.fail(12, "login", f"nobody.{names.DOMAIN}")


# covers: 12.8
def test_a_ca_that_did_not_sign(network, home, tmp_path):
    stranger = parts.Authority(tmp_path / "stranger")
    home.fail(12, "login", names.ALICE, SSL_CERT_FILE=str(stranger.file))
    assert network.sandbox.journal() == []


def test_a_certificate_of_another_name(network, home):
    network.sandbox.amend("/service/0/serviceEndpoint", "https://pds.sandbox-other.com", role="plc")
    network.resolver.addresses["pds.sandbox-other.com"] = [names.SERVERS]
    network.resolver.start()
    home.fail(12, "login", names.ALICE)


# covers: R5
def test_a_redirect_of_the_well_known_file(network, home):
    network.resolver.addresses[f"www.{names.DOMAIN}"] = [names.SERVERS]
    network.resolver.start()
    faults = [
        {
            "match": {"path": "/.well-known/atproto-did"}, "times": 1,
            "action": {"respond": {"status": 301, "headers": {"location": f"https://{names.BOB}/elsewhere"}}},
        },
        {
            "match": {"path": "/elsewhere"},
            "action": {"respond": {"status": 200, "body": network.did(names.BOB)}},
        },
    ]
    network.sandbox.control("POST", "faults", faults)
    log_in(home, network, names.BOB, names.BOB)
