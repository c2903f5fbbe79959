"""The state of the model of logins: the row of one login, the records of its accounts, and the machines.

Accounts and sessions are numbers; 0 is none. There are no rotations and no rollback: the other model has these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

# Where a process is.
IDLE = "idle"
OWN = "own"  # reads the record of its own account
ROW = "row"
NAMED = "named"  # reads the record of the account that the row names
HOLD = "hold"  # writes that record, so that no older write to it lands
TAKE = "take"
PUT = "put"
REPLACE = "replace"
END = "end"
DELETE = "delete"
AGAIN = "again"
UNDO = "undo"

# What a process does. A rename gives an account the login of the row, or another one. A look for the accounts of other machines
# gives an account a row that it lacks.
LOGIN, IMPORT, RENAME, LOGOUT, LEAVE, SYNCHRONIZE = "login", "import", "rename", "logout", "rename away", "synchronize"


class Account(NamedTuple):
    """The record of an account."""

    status: str = "missing"  # or "live", "gone" (a tombstone)
    ours: bool = True  # whether it belongs to the login that the row is about; another label is another login
    session: int = 0

    @property
    def has_login(self) -> bool:
        return self.status == "live" and self.ours


class Process(NamedTuple):
    """The one process of a machine. Each flag says that a row still has the revision that this process read or wrote last."""

    doing: str = IDLE
    task: str = ""
    id: int = 0  # the account that it adds or changes
    session: int = 0  # the session that it brings
    named: int = 0  # the account that the row named
    row: bool = False
    own: bool = False  # the record of `id`
    other: bool = False  # the record of `named`
    replaced: int = 0  # the session that it has to revoke
    tried: bool = False  # whether a write of the record got no answer


class Kept(NamedTuple):
    """A login in a local file, because the outcome of the write of its record is unknown."""

    id: int = 0
    session: int = 0
    fresh: bool = False  # whether the record still has the revision that this write expects


class Machine(NamedTuple):
    process: Process = Process()
    kept: Kept = Kept()


class LoginState(NamedTuple):
    machines: tuple
    accounts: tuple
    row: int = 0
    late_rows: tuple = ()  # (account, whether the condition is that there is no row)
    late: tuple = ()  # (id, account, whether a login writes it)
    returned: frozenset = frozenset()  # accounts whose login, import or rename has returned
    revoked: frozenset = frozenset()
    faults: int = 0
    tasks: tuple = ()  # what people still do
    violation: str = ""


Step = tuple[str, str, LoginState]
Next = Callable[[LoginState], LoginState]


# MARK: Changes of a state


def change(state: LoginState, m: int, **changes: object) -> LoginState:
    return set_machine(state, m, state.machines[m]._replace(process=state.machines[m].process._replace(**changes)))


def set_machine(state: LoginState, m: int, machine: Machine) -> LoginState:
    return state._replace(machines=(*state.machines[:m], machine, *state.machines[m + 1:]))


def end(state: LoginState, m: int) -> LoginState:
    return set_machine(state, m, state.machines[m]._replace(process=Process()))


def keep(state: LoginState, m: int, kept: Kept) -> LoginState:
    return set_machine(state, m, state.machines[m]._replace(kept=kept))


def revoke(state: LoginState, session: int) -> LoginState:
    return state._replace(revoked=state.revoked | {session}) if session else state


def confirm(state: LoginState, id: int) -> LoginState:
    return state._replace(returned=state.returned | {id}) if state.accounts[id - 1].has_login else state


def write_row(state: LoginState, id: int, by: int = -1) -> LoginState:
    """A write with the condition that there is no row survives other writes: the row may be absent again."""
    machines = tuple(
        machine._replace(process=machine.process._replace(row=m == by)) if machine.process.doing != IDLE else machine
        for m, machine in enumerate(state.machines)
    )
    return state._replace(row=id, machines=machines, late_rows=tuple(late for late in state.late_rows if late[1]))


def write_record(state: LoginState, id: int, account: Account, login: bool, by: int = -1) -> LoginState:
    before = state.accounts[id - 1]
    if before.status == "gone" and account.status == "live" and login:
        state = state._replace(violation="a login wrote over a tombstone")
    if before.status == "live" and not before.ours and account.has_login and login:
        state = state._replace(violation="a login undid the rename of an account")
    machines = []
    for m, (process, kept) in enumerate(state.machines):
        if process.id == id:
            process = process._replace(own=m == by)
        if process.named == id:
            process = process._replace(other=m == by)
        if kept.id == id:
            kept = kept._replace(fresh=False)
        machines.append(Machine(process, kept))
    return state._replace(
        accounts=(*state.accounts[:id - 1], account, *state.accounts[id:]), machines=tuple(machines),
        late=tuple(late for late in state.late if late[0] != id),
        returned=state.returned if account.has_login else state.returned - {id},
    )


def unused(state: LoginState) -> int:
    """The UUID of a new account; 0 if the bounds have no more."""
    used = {state.row, *(id for id, _ in state.late_rows)}
    for process, kept in state.machines:
        used |= {process.id, process.named, kept.id}
    free = (id for id, account in enumerate(state.accounts, 1) if account.status == "missing" and id not in used)
    return next(free, 0)


def new_session(state: LoginState) -> int:
    sessions = [account.session for account in state.accounts] + [account.session for _, account, _ in state.late]
    sessions += [n for process, kept in state.machines for n in (process.session, process.replaced, kept.session)]
    return max(0, *sessions, *state.revoked) + 1


def name(state: LoginState) -> tuple:
    """Equal for states that differ only in the names of machines and sessions."""
    numbers = {0: 0}

    def number(session: int) -> int:
        return numbers.setdefault(session, len(numbers))

    def account(a: Account) -> tuple:
        return (a.status, a.ours, number(a.session))

    accounts = tuple(map(account, state.accounts))
    late = tuple((id, account(a), login) for id, a, login in sorted(state.late))
    machines = tuple(
        (p._replace(session=number(p.session), replaced=number(p.replaced)), kept._replace(session=number(kept.session)))
        for p, kept in sorted(state.machines)
    )
    revoked = frozenset(numbers[session] for session in state.revoked if session in numbers)
    return accounts, late, machines, revoked, state.row, tuple(sorted(state.late_rows)), state.returned, state[7:]
