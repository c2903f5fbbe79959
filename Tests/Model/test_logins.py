"""The protocol of logins holds in every state within these bounds, and each of its rules is needed."""

import os
import re
from typing import NamedTuple

import pytest

from explorer import explore
from login_state import AGAIN, IMPORT, LEAVE, LOGIN, LOGOUT, RENAME, SYNCHRONIZE, UNDO, Account, name
from login_steps import SECOND_WRITE, STEP
from logins import LoginConfig, LoginModel

FAULTS = frozenset({"kill", "unknown outcome"})  # a write with an unknown outcome may land late

NEW = (Account(),) * 3
HERE = (Account("live", True, 1), Account(), Account())
OTHER = (Account("live", False, 1), Account(), Account())  # has another login, because it has another label
GONE = (Account("gone"), Account(), Account())


def with_faults(*tasks: str, accounts: tuple = NEW, limit: int = 1, variant: str = "") -> LoginConfig:
    row = 1 if accounts == HERE else 0
    return LoginConfig(tasks, accounts, row, FAULTS, limit, variant=variant)


LOGINS = {
    "three logins, two faults": with_faults(LOGIN, LOGIN, LOGIN, limit=2),
    "a login beside a logout, two faults": with_faults(LOGIN, LOGIN, LOGOUT, accounts=HERE, limit=2),
    "an import": with_faults(LOGIN, LOGIN, IMPORT, accounts=GONE),
    "a rename to this login": with_faults(LOGIN, LOGIN, RENAME, accounts=OTHER),
    "a rename away and back": with_faults(LOGIN, LEAVE, RENAME, accounts=HERE),
    "a logout and an import, two faults": with_faults(LOGIN, LOGOUT, IMPORT, accounts=HERE, limit=2),
    "a row for an account that may lack it": with_faults(LOGIN, SYNCHRONIZE, LOGOUT, accounts=HERE, limit=2),
}

# Half a minute more: only if BSKYAUTH_TEST_MODEL_LONG is set.
LONG = {
    "two logins, a logout and an import": with_faults(LOGIN, LOGIN, LOGOUT, IMPORT, accounts=HERE),
    "an import and a rename": with_faults(LOGIN, IMPORT, RENAME, accounts=(GONE[0], OTHER[0], Account())),
    "a rename away, a logout and an import": with_faults(LOGIN, LEAVE, LOGOUT, IMPORT, accounts=HERE),
    "two imports": with_faults(LOGIN, IMPORT, IMPORT, accounts=GONE),
}

TWO = "one login has two accounts"
REVOKED = "an account has a session that was revoked"
TRAP = "no way leads on"


class Variant(NamedTuple):
    config: LoginConfig
    problem: str  # part of what the checker says
    step: str  # part of a step that the counterexample must have


VARIANTS = {
    "no burial": Variant(with_faults(LOGIN, LOGIN), TWO, "missing, and waits"),
    "waits for the account of a row": Variant(with_faults(LOGIN, LOGIN), TRAP, "begins: login"),
    "a row is given away without a write of the record": Variant(
        with_faults(LOGIN, RENAME, accounts=OTHER), TWO, "with another login"
    ),
    "a row that names the account is not written": Variant(
        with_faults(LOGIN, LOGOUT, IMPORT, accounts=HERE), TWO, "deletes the row"
    ),
    SECOND_WRITE: Variant(with_faults(LOGIN, LOGIN, RENAME, accounts=OTHER, limit=0), TWO, "replaces the session"),
    "the row is read after the tombstone": Variant(
        with_faults(LOGIN, LOGOUT, IMPORT, accounts=HERE), TWO, "deletes the row"
    ),
    "replace without the closure": Variant(
        with_faults(LOGIN, LEAVE, accounts=HERE), "undid the rename", "renames the account away"
    ),
    "revocation after an unknown record": Variant(with_faults(LOGIN), REVOKED, "gets no answer"),
    "a kept login without its condition": Variant(
        with_faults(LOGIN, LOGIN, accounts=HERE), REVOKED, "writes the record of its kept login"
    ),
    "an import begins again after an unknown outcome": Variant(
        with_faults(IMPORT, LOGOUT, accounts=GONE), REVOKED, "leaves a tombstone"
    ),
}
VARIANTS = {name: v._replace(config=v.config._replace(variant=name)) for name, v in VARIANTS.items()}


@pytest.mark.parametrize("config", LOGINS.values(), ids=LOGINS)
def test_logins(config):
    found = explore(LoginModel(config), name=name)
    assert not found.problem, str(found)


@pytest.mark.skipif("BSKYAUTH_TEST_MODEL_LONG" not in os.environ, reason="BSKYAUTH_TEST_MODEL_LONG is not set")
@pytest.mark.parametrize("config", LONG.values(), ids=LONG)
def test_larger_bounds(config):
    found = explore(LoginModel(config), name=name)
    assert not found.problem, str(found)


@pytest.mark.parametrize("rule", VARIANTS)
def test_variant_is_found(rule):
    variant = VARIANTS[rule]
    found = explore(LoginModel(variant.config), name=name)
    assert variant.problem in found.problem, str(found)
    assert any(variant.step in step for step in found.trace), str(found)
    for line in str(found).split("\n")[2:]:
        assert re.fullmatch(r" *\d+\. (M\d |the store: ).{5,}", line), line


@pytest.mark.parametrize("rule", VARIANTS)
def test_protocol_holds_where_the_variant_fails(rule):
    found = explore(LoginModel(VARIANTS[rule].config._replace(variant="")), name=name)
    assert not found.problem, str(found)


def test_every_step_is_reached():
    steps = set()
    returned = set()

    def seen(state):
        steps.update(machine.process.doing for machine in state.machines)
        returned.update(state.returned)

    for tasks, accounts in (((LOGIN, LOGIN), NEW), ((LOGIN, LOGOUT), HERE), ((LOGIN, RENAME), OTHER)):
        explore(LoginModel(with_faults(*tasks, accounts=accounts)), name=name, seen=seen)
    assert steps == {"idle", *STEP} - {AGAIN, UNDO}
    # 3: a login whose account got a tombstone takes a new one.
    assert returned == {1, 2, 3}


def test_names_of_machines_and_sessions_do_not_matter():
    def outcomes(by):
        found = set()
        result = explore(
            LoginModel(with_faults(LOGIN, LOGIN, LOGOUT, accounts=HERE)), name=by,
            seen=lambda s: found.add((s.row, tuple(a[:2] for a in s.accounts), s.returned)),
        )
        return result.problem, result.states, found

    problem, states, found = outcomes(name)
    longer = outcomes(lambda state: state)
    assert (longer[0], longer[2]) == (problem, found)
    assert longer[1] > states
