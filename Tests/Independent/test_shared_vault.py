"""Machines that share a vault in three etcd nodes, with TLS, while the network between the nodes is cut."""
import json
import os
import shutil
import subprocess

import pytest

import etcd_nodes
import names
import people
import processes

REFRESH = "refresh", "--force", names.ALICE


@pytest.fixture
def cluster(network, tmp_path):
    cluster = etcd_nodes.Cluster(tmp_path / "etcd", network.authority)
    yield cluster
    cluster.stop()


@pytest.fixture
def machine(home, cluster):
    """A machine that reaches the nodes 1 and 2, which stay together. It has shared the vault."""
    home.environment |= {"BSKYAUTH_NO_KEEPER": "1"}
    home.succeed("login", names.ALICE)
    home.succeed("vault", "share", "--to", cluster.url(*cluster.nodes[1:]), "--machine-name", "one")
    return home


@pytest.fixture
def join(machine, cluster, tmp_path):
    """Another machine, which reaches only node 0."""

    def join(durability):
        folder = tmp_path / "other"
        folder.mkdir()
        other = people.Home(machine.program, folder, machine.authority)
        other.environment |= {
            "BSKYAUTH_KEY_FILE": machine.environment["BSKYAUTH_KEY_FILE"], "BSKYAUTH_NO_KEEPER": "1",
        }
        other.succeed("vault", "join", cluster.url(cluster.nodes[0]), durability, "--machine-name", "other")
        return other

    return join


def refreshes(network):
    return [line for line in network.sandbox.journal() if line["grant"] == "refresh_token" and line["consumed"]]


def refused(home, status, *options):
    """The error of a refresh that ends with this status."""
    result = home.run(*REFRESH, *options)
    assert result.returncode == status, (result.returncode, result.stderr)
    return json.loads(result.stderr.splitlines()[-1])["error"]


def started(home, *arguments):
    return subprocess.Popen(
        [home.program, *arguments], env=home.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def cut_between_claim_and_commit(network, cluster, other):
    """Cuts the other machine's node off while the answer to its token request is on its way."""
    network.sandbox.fault({"delay": "3s", "when": "after"}, grant="refresh_token")
    running = started(other, *REFRESH)
    while not refreshes(network):
        assert running.poll() is None, running.stderr.read()
    cluster.nodes[0].cut()
    return running


def test_a_minority_sends_nothing_and_says_so(network, cluster, machine, join):
    other = join("--durable")
    cluster.nodes[0].cut()
    error = refused(other, 12)
    assert error["code"] == "store_unavailable" and error["retryable"]
    assert refreshes(network) == []
    other.succeed("call", "com.atproto.server.getSession")
    # The majority goes on.
    machine.succeed(*REFRESH)
    cluster.nodes[0].heal()
    while not cluster.answers(cluster.nodes[0]):
        pass
    other.succeed("vault", "flush")
    other.succeed(*REFRESH)
    assert len(refreshes(network)) == 2


def test_a_durable_machine_keeps_its_answer_until_the_partition_ends(network, cluster, machine, join):
    other = join("--durable")
    running = cut_between_claim_and_commit(network, cluster, other)
    assert running.wait() == 0, running.stderr.read()
    network.sandbox.control("POST", "faults", [])
    other.succeed("call", "com.atproto.server.getSession")
    # The machine on the other side can't know what became of the token.
    waiting = refused(machine, 75, "--lock-timeout", "0s")
    assert waiting["code"] == "claimed" and waiting["hint"] == "on other, run: bskyauth vault flush"
    cluster.nodes[0].heal()
    while not cluster.answers(cluster.nodes[0]):
        pass
    other.succeed("vault", "flush")
    machine.succeed(*REFRESH)
    assert len(refreshes(network)) == 1
    machine.succeed(*REFRESH)
    assert len(refreshes(network)) == 2


def test_an_ephemeral_machine_keeps_trying(network, cluster, machine, join):
    other = join("--ephemeral")
    running = cut_between_claim_and_commit(network, cluster, other)
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(timeout=10)
    cluster.nodes[0].heal()
    assert running.wait() == 0, running.stderr.read()
    network.sandbox.control("POST", "faults", [])
    machine.succeed(*REFRESH)
    assert len(refreshes(network)) == 1


@pytest.mark.skipif(os.environ.get("BSKYAUTH_TEST_LONG") != "1", reason="takes two minutes: BSKYAUTH_TEST_LONG=1")
def test_an_ephemeral_machine_says_what_is_lost(network, cluster, machine, join):
    other = join("--ephemeral")
    running = cut_between_claim_and_commit(network, cluster, other)
    assert running.wait() == 12
    assert "lost" in running.stderr.read()


def test_a_program_of_the_library_opens_the_vault(network, cluster, machine, tmp_path):
    folder = tmp_path / "guide"
    folder.mkdir()
    home = machine.environment["BSKYAUTH_HOME"]
    shutil.copy(machine.environment["BSKYAUTH_KEY_FILE"], f"{home}.key")
    result = subprocess.run(
        [processes.client("bskyauth-guide"), folder, machine.authority.file, "shared", home],
        env=machine.environment, capture_output=True, text=True)
    assert result.stdout.strip() == f'{{"did":"{network.did(names.ALICE)}"}}', result.stderr
