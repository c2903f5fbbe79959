"""The shortcuts of the explorer change no result."""

import pytest

from explorer import TooManyStates, explore
from state import claims
from variants import DURABLE, EPHEMERAL, VARIANTS, with_faults
from world import Model

SMALL = with_faults("kill", "cut", machines=(DURABLE, EPHEMERAL))


def outcomes(config, **shortcuts):
    """What the account and the server come to be, in all states."""
    found = set()
    result = explore(
        Model(config),
        seen=lambda s: found.add((s.record[:3], s.current, s.alive, s.causes, s.record.claim.id != 0)),
        **shortcuts,
    )
    return result.problem, result.states, found


def with_numbers_only(state):
    """A name that only numbers the claims. It tells apart the machines, the processes, and counts of claims that are gone."""
    numbers = {id: number for number, id in enumerate(dict.fromkeys((0, *claims(state))))}
    machines = tuple(
        machine._replace(
            intent=machine.intent._replace(id=numbers[machine.intent.id]),
            watch=(numbers[machine.watch[0]], machine.watch[1]),
            processes=tuple(process._replace(id=numbers[process.id]) for process in machine.processes),
        )
        for machine in state.machines
    )
    record = state.record._replace(claim=state.record.claim._replace(id=numbers[state.record.claim.id]))
    return state._replace(machines=machines, record=record)


@pytest.mark.parametrize("machines", [(DURABLE, EPHEMERAL), (DURABLE, DURABLE), ((True, 2), DURABLE)], ids=str)
def test_names_and_the_order_of_local_steps_do_not_matter(machines):
    config = with_faults("kill", machines=machines)
    problem, states, found = outcomes(config)
    for longer in (
        outcomes(config._replace(every_order=True)),
        outcomes(config, name=with_numbers_only),
        outcomes(config._replace(every_order=True), name=with_numbers_only),
    ):
        assert (longer[0], longer[2]) == (problem, found)
        assert longer[1] > states


def test_a_counterexample_is_the_shortest():
    config = VARIANTS["use before the spool"].config
    assert len(explore(Model(config)).trace) == 6


def test_too_large_a_model_is_no_success():
    with pytest.raises(TooManyStates):
        explore(Model(SMALL), limit=100)
