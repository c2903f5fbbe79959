"""Everything around the protocol of logins: faults, what people do, and what must always hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from login_state import (
    IDLE, IMPORT, LOGIN, OWN, RENAME, ROW, Account, LoginState, Machine, Process, Step, end, new_session, set_machine,
    unused, write_record, write_row,
)
from login_steps import STEP, finish


class LoginConfig(NamedTuple):
    """What a run of the model explores."""

    tasks: tuple  # what people do, in any order and on any machine
    accounts: tuple = (Account(),) * 3
    row: int = 0
    faults: frozenset = frozenset()
    fault_limit: int = 0
    machines: int = 3
    variant: str = ""  # what is broken in the protocol


class LoginModel:
    def __init__(self, config: LoginConfig) -> None:
        self.config = config

    def initial(self) -> LoginState:
        config = self.config
        return LoginState(
            (Machine(),) * config.machines, config.accounts, config.row, returned=frozenset({config.row} - {0}),
            faults=config.fault_limit, tasks=config.tasks,
        )

    def breaks(self, rule: str) -> bool:
        return self.config.variant == rule

    def may(self, state: LoginState, fault: str) -> bool:
        return state.faults > 0 and fault in self.config.faults

    def successors(self, state: LoginState) -> Iterator[Step]:
        for m, machine in enumerate(state.machines):
            if machine.process.doing != IDLE:
                for kind, words, after in STEP[machine.process.doing](self, state, m):
                    yield kind, f"M{m + 1} {words}", after
                if self.may(state, "kill"):
                    yield "fault", f"M{m + 1} is killed", end(state._replace(faults=state.faults - 1), m)
            elif machine.kept.id:
                for kind, words, after in finish(self, state, m):
                    yield kind, f"M{m + 1} {words}", after
            else:
                for words, after in begin(self, state, m):
                    yield "command", f"M{m + 1} {words}", after
        for late in dict.fromkeys(state.late_rows):
            rest = list(state.late_rows)
            rest.remove(late)
            without = state._replace(late_rows=tuple(rest))
            yield "step", "the store: a late write of the row never arrives", without
            if not late[1] or not state.row:
                yield "step", "the store: a late write of the row lands", write_row(without, late[0])
        for late in dict.fromkeys(state.late):
            rest = list(state.late)
            rest.remove(late)
            yield "step", "the store: a late write of a record never arrives", state._replace(late=tuple(rest))
            yield "step", "the store: a late write of a record lands", write_record(state, *late)

    def goals(self) -> Iterator[tuple]:
        yield is_settled, lambda state: True, "no way leads on from here to the end of all logins"

    def problem(self, state: LoginState) -> str:
        if state.violation:
            return state.violation
        logins = [id for id, account in enumerate(state.accounts, 1) if account.has_login]
        if len(state.returned.intersection(logins)) > 1:
            return "one login has two accounts"
        # The runs of the variants go on from there to the harm.
        if not self.config.variant and any(id != state.row for id in logins):
            return "the row does not name the account of its login"
        sessions = [account.session for account in state.accounts if account.status == "live"]
        if state.revoked.intersection(sessions):
            return "an account has a session that was revoked"
        if len(set(sessions)) < len(sessions):
            return "two accounts have one session"
        return ""


def is_settled(state: LoginState) -> bool:
    return all(process.doing == IDLE and not kept.id for process, kept in state.machines)


def begin(model: LoginModel, state: LoginState, m: int) -> Iterator[tuple[str, LoginState]]:
    """What people may begin on a machine."""
    for task in dict.fromkeys(state.tasks):
        rest = list(state.tasks)
        rest.remove(task)
        rest = state._replace(tasks=tuple(rest))
        fresh = [unused(state)] if unused(state) else []
        # A logout reads the row first, so that an import after its tombstone keeps the row.
        first = OWN if model.breaks("the row is read after the tombstone") else ROW
        if task == LOGIN:
            starts = [Process(ROW, LOGIN, id, new_session(state)) for id in fresh]
        elif task == IMPORT:
            gone = [id for id, account in enumerate(state.accounts, 1) if account.status == "gone"]
            starts = [Process(OWN, IMPORT, id, new_session(state)) for id in gone + fresh]
        elif task == RENAME:
            others = [id for id, account in enumerate(state.accounts, 1) if account.status == "live" and not account.ours]
            starts = [Process(OWN, RENAME, id) for id in others]
        else:
            logins = [id for id, account in enumerate(state.accounts, 1) if account.has_login]
            starts = [Process(first, task, id) for id in logins]
        for process in starts:
            yield f"begins: {task}, with account {process.id}", set_machine(rest, m, Machine(process))
