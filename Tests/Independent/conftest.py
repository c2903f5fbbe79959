import os

import pytest

import network as parts
import people


def pytest_configure(config):
    if os.environ.get("BSKYAUTH_TEST_NAMESPACE") != "1":
        pytest.exit("these tests need a network namespace: run scripts/test-independent", returncode=2)


@pytest.fixture
def network(tmp_path):
    network = parts.Network(os.environ["BSKYAUTH_TEST_SANDBOX"], tmp_path)
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
def trap():
    trap = parts.Trap()
    yield trap
    trap.stop()
