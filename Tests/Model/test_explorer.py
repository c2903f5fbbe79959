"""The shortcuts of the explorer change no result."""

import pytest

from explorer import TooManyStates, explore
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


def test_names_and_the_order_of_local_steps_do_not_matter():
    problem, states, found = outcomes(SMALL)
    all_problem, all_states, all_found = outcomes(SMALL._replace(every_order=True))
    assert (problem, found) == (all_problem, all_found)
    assert states < all_states

    config = SMALL._replace(fault_limit=0)
    problem, states, found = outcomes(config)
    all_problem, all_states, all_found = outcomes(config, name=lambda state: state)
    assert (problem, found) == (all_problem, all_found)
    assert states < all_states


def test_a_counterexample_is_the_shortest():
    config = VARIANTS["use before the spool"].config
    assert len(explore(Model(config)).trace) == 6


def test_too_large_a_model_is_no_success():
    with pytest.raises(TooManyStates):
        explore(Model(SMALL), limit=100)
