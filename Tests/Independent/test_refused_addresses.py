"""What strangers' documents name must not lead inside: refused before anything connects."""
import socket

import pytest

import names

HIDDEN = f"hidden.{names.DOMAIN}"


@pytest.fixture
def inside(network, request):
    """Has a name in DNS lead to a private address."""
    network.resolver.addresses[HIDDEN] = [request.param]
    network.resolver.start()
    return request.param


everywhere = pytest.mark.parametrize("inside", names.INSIDE + ["::ffff:10.0.0.5"], indirect=True)
somewhere = pytest.mark.parametrize("inside", ["169.254.169.254"], indirect=True)


def refused(home, trap, *arguments):
    """A login that ends in the refusal of an address, with nothing connected and nothing saved."""
    error = home.fail(12, *arguments)
    assert "private address" in error["message"], error
    assert trap.visits == []
    assert home.succeed("accounts")["accounts"] == []


def test_the_trap_springs(trap):
    for address in names.INSIDE:
        socket.create_connection((address, 443)).close()
    trap.stop()
    assert sorted(trap.visits) == sorted(names.INSIDE)


# covers: R7
@everywhere
def test_pds_of_a_did_document(network, home, trap, inside):
    network.sandbox.amend("/service/0/serviceEndpoint", f"https://{HIDDEN}", role="plc")
    refused(home, trap, "login", names.ALICE)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.5", "169.254.169.254", "[::1]", "[fd00::5]"])
def test_pds_of_a_did_document_without_a_name(network, home, trap, address):
    network.sandbox.amend("/service/0/serviceEndpoint", f"https://{address}", role="plc")
    home.fail(12, "login", names.ALICE)
    assert trap.visits == []


@somewhere
def test_issuer_of_a_pds(network, home, trap, inside):
    path = "/.well-known/oauth-protected-resource"
    network.sandbox.amend("/authorization_servers/0", f"https://{HIDDEN}", path=path)
    refused(home, trap, "login", names.ALICE)


@somewhere
@pytest.mark.parametrize("endpoint", ["pushed_authorization_request_endpoint", "token_endpoint"])
def test_endpoint_of_an_issuer(network, home, trap, inside, endpoint):
    path = "/.well-known/oauth-authorization-server"
    network.sandbox.amend(f"/{endpoint}", f"https://{HIDDEN}/x", path=path)
    refused(home, trap, "login", names.ALICE)


@somewhere
def test_did_web(home, network, trap, inside):
    refused(home, trap, "login", f"did:web:{HIDDEN}")


@everywhere
def test_handle(home, network, trap, inside):
    home.fail(12, "login", HIDDEN)
    assert trap.visits == []


@somewhere
def test_redirect_of_a_well_known_file(network, home, trap, inside):
    location = {"location": f"https://{HIDDEN}/.well-known/atproto-did"}
    network.sandbox.fault({"respond": {"status": 302, "headers": location}}, path="/.well-known/atproto-did")
    home.fail(12, "login", names.BOB)
    assert trap.visits == []


@somewhere
def test_a_pds_that_moved_inside_after_login(network, home, trap, inside):
    """The address is judged at every connection, not once at login."""
    home.succeed("login", names.ALICE)
    network.resolver.addresses[names.PDS] = [inside]
    network.resolver.start()
    error = home.fail(12, "call", "com.atproto.server.getSession")
    assert "private address" in error["message"]
    assert trap.visits == []


@somewhere
def test_one_public_address_among_private_ones(network, home, trap, inside):
    """The private ones are passed over, as if they did not answer."""
    network.resolver.addresses[names.PDS] = [inside, names.SERVERS]
    network.resolver.start()
    home.succeed("login", names.ALICE)
    assert trap.visits == []
