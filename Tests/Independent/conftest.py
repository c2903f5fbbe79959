import json
import os

import pytest
from joserfc.jwk import ECKey

import names
import network as parts
import people
import recorder as wire
import static_site


def pytest_configure(config):
    # The process that only hands out the tests needs none.
    if os.environ.get("BSKYAUTH_TEST_NAMESPACE") != "1" and not config.getoption("tx", []):
        pytest.exit("these tests need a network namespace: run scripts/test-independent", returncode=2)


@pytest.fixture
def network(request, tmp_path):
    """The parameter, if a test gives one, is a list of options of the sandbox."""
    options = getattr(request, "param", [])
    network = parts.Network(os.environ["BSKYAUTH_TEST_SANDBOX"], tmp_path, options)
    yield network
    network.stop()


@pytest.fixture
def trusted(network, monkeypatch):
    """Has Python's own HTTP clients trust the network's CA."""
    monkeypatch.setenv("SSL_CERT_FILE", str(network.authority.file))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(network.authority.file))
    return network


@pytest.fixture
def home(network, tmp_path):
    directory = tmp_path / "home"
    directory.mkdir()
    return people.Home(os.environ["BSKYAUTH_TEST_BINARY"], directory, network.authority)


@pytest.fixture
def recorder(network):
    """Stands where DNS says the entryway and the PDS are."""
    recorder = wire.Recorder(network.sandbox.certificate, network.sandbox.key, network.authority)
    network.resolver.addresses |= {host: [names.RECORDER] for host in (names.ENTRYWAY, names.PDS)}
    network.resolver.start()
    yield recorder
    recorder.stop()


@pytest.fixture
def site(network, tmp_path):
    """The host of a client's files. It runs when something is published."""
    directory = tmp_path / "host"
    directory.mkdir()
    site = static_site.StaticSite(directory, network.authority)
    yield site
    site.stop()


@pytest.fixture
def client(home, site, tmp_path):
    """The folder of a client's files, made by the user and published."""
    folder = tmp_path / "site"
    scope = ["--scope", "repo:app.bsky.feed.post"]
    home.succeed("client", "init", "bot", names.CLIENT, *scope, "--out", str(folder))
    site.publish(folder)
    return folder


@pytest.fixture
def foreign_key(home, client, site, tmp_path):
    """A key that another client made, added by its public half and published."""
    key = ECKey.generate_key("P-256")
    file = tmp_path / "public.json"
    file.write_text(json.dumps(key.as_dict(private=False)))
    home.succeed("client", "keys", "bot", "add", "server", "--public", str(file))
    home.succeed("client", "write", "bot")
    site.publish(client)
    return key


@pytest.fixture
def trap():
    trap = parts.Trap()
    yield trap
    trap.stop()
