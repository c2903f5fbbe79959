"""The protocol holds in every state within the bounds of these configurations."""

import os

import pytest

from explorer import explore
from variants import DURABLE, EPHEMERAL, with_faults
from world import Config, Model

# Each of these may happen at every step.
FAULTS = ("kill", "cut", "no answer", "unknown outcome", "pause", "disk", "job ends")
SOME = ("kill", "cut", "unknown outcome")
ROLLED_BACK = frozenset({"rollback"})

TWO_MACHINES = {
    "durable machines, two faults": with_faults(*FAULTS, limit=2, challenges=True),
    "durable and ephemeral": with_faults(*FAULTS, machines=(DURABLE, EPHEMERAL), challenges=False),
    "ephemeral machines": with_faults(*FAULTS, machines=(EPHEMERAL, EPHEMERAL)),
    "nonces": Config((DURABLE, EPHEMERAL), challenges=True),
    "two processes on each machine": with_faults(*FAULTS, machines=((True, 2), (True, 2))),
    "a forgotten machine": with_faults(*FAULTS, commands=1),
    "a forgotten machine beside an ephemeral one": Config((DURABLE, EPHEMERAL), commands=1),
    "two rotations": with_faults(*FAULTS, rounds=1),
    "two rotations, one machine ephemeral": with_faults("kill", "unknown outcome", machines=(DURABLE, EPHEMERAL), rounds=1),
    "logout": with_faults(*FAULTS, logouts=1),
    "logout beside an ephemeral machine": Config((DURABLE, EPHEMERAL), logouts=1),
    "logout on a forgotten claim": Config((DURABLE, DURABLE), commands=1, logouts=1),
    "a server that forgives": with_faults("kill", "pause", machines=(DURABLE, EPHEMERAL), commands=1, lenient=True),
    "rollback of a store with an id": with_faults(
        "rollback", "kill", limit=2, rounds=1, identified=True, forbidden_causes=ROLLED_BACK
    ),
    "rollback of a store without an id": with_faults("rollback", rounds=1),
    "rollback of a store without an id, and a kill": with_faults("rollback", "kill", limit=2),
}

THREE_MACHINES = {
    "durable machines": with_faults(*FAULTS, machines=(DURABLE,) * 3),
    "two durable and an ephemeral one": Config((DURABLE, DURABLE, EPHEMERAL)),
    "a durable and two ephemeral ones": Config((DURABLE, EPHEMERAL, EPHEMERAL)),
    "a forgotten machine": Config((DURABLE,) * 3, commands=1),
    "logout": with_faults("kill", machines=(DURABLE,) * 3, logouts=1),
    "rollback": with_faults("rollback", machines=(DURABLE,) * 3, identified=True, forbidden_causes=ROLLED_BACK),
}

# A minute and a half more: only if BSKYAUTH_TEST_MODEL_LONG is set.
LONG = {
    "durable and ephemeral, two faults": with_faults(*SOME, machines=(DURABLE, EPHEMERAL), limit=2),
    "two processes on each machine, two faults": with_faults(*FAULTS, machines=((True, 2), (True, 2)), limit=2),
    "a forgotten machine, two faults": with_faults(*SOME, limit=2, commands=1),
    "rollback beside an ephemeral machine": with_faults("rollback", machines=(DURABLE, EPHEMERAL), rounds=1),
    "three machines, one of them forgotten, and a kill": with_faults("kill", machines=(DURABLE,) * 3, commands=1),
}


@pytest.mark.parametrize("config", TWO_MACHINES.values(), ids=TWO_MACHINES)
def test_two_machines(config):
    found = explore(Model(config))
    assert not found.problem, str(found)


@pytest.mark.parametrize("config", THREE_MACHINES.values(), ids=THREE_MACHINES)
def test_three_machines(config):
    found = explore(Model(config))
    assert not found.problem, str(found)


@pytest.mark.skipif("BSKYAUTH_TEST_MODEL_LONG" not in os.environ, reason="BSKYAUTH_TEST_MODEL_LONG is not set")
@pytest.mark.parametrize("config", LONG.values(), ids=LONG)
def test_larger_bounds(config):
    found = explore(Model(config), limit=3_000_000)
    assert not found.problem, str(found)


def test_a_server_that_judges_the_age_of_a_proof_stops_a_sender_that_stood_still():
    frozen = with_faults("pause", machines=(DURABLE, EPHEMERAL), forbidden_causes=frozenset({"pause"}))
    assert explore(Model(frozen)).problem
    assert not explore(Model(frozen._replace(judges_proof_age=True))).problem
