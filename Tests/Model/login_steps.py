"""The protocol of logins in docs/design/shared-vault.md: one row for each login, so that two machines add one account.

A step uses only what its process has read. `model.breaks(...)` asks for a broken variant. Without variants, these are the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from login_state import (
    AGAIN, DELETE, END, HOLD, IMPORT, LEAVE, LOGIN, LOGOUT, NAMED, OWN, PUT, RENAME, REPLACE, ROW, SYNCHRONIZE, TAKE, UNDO,
    Account, Kept, LoginState, Step, change, confirm, end, keep, revoke, unused, write_record, write_row,
)

if TYPE_CHECKING:
    from logins import LoginModel

# What the caller does with the outcome of a write.
Next = Callable[[LoginState], LoginState]

# A variant: the row is written a second time, and a failure is undone.
SECOND_WRITE = "the row is written again after the record"

# MARK: Compare-and-swap


def swap(
    model: LoginModel, state: LoginState, words: str, holds: bool, write: Next, late: Next, done: Next, conflict: Next,
    unknown: Next,
) -> Iterator[Step]:
    """All that can come of a write with a condition. `late` puts it on its way."""
    if not holds:
        yield "step", words + ", but its condition does not hold", conflict(state)
        return
    yield "step", words, done(write(state))
    if model.may(state, "unknown outcome"):
        state = state._replace(faults=state.faults - 1)
        yield "fault", words + ", and gets no answer; the write has landed", unknown(write(state))
        yield "fault", words + ", and gets no answer; the write is still on its way", unknown(late(state))


def swap_row(model: LoginModel, state: LoginState, m: int, id: int, words: str, **next: Next) -> Iterator[Step]:
    process = state.machines[m].process
    absent = process.named == 0
    holds = not state.row if absent else process.row
    yield from swap(
        model, state, words, holds, lambda s: write_row(s, id, by=m),
        lambda s: s._replace(late_rows=(*s.late_rows, (id, absent))), **next,
    )


def swap_record(
    model: LoginModel, state: LoginState, m: int, id: int, holds: bool, account: Account, words: str, **next: Next
) -> Iterator[Step]:
    login = state.machines[m].process.task in ("", LOGIN)
    yield from swap(
        model, state, words, holds, lambda s: write_record(s, id, account, login, by=m),
        lambda s: s._replace(late=(*s.late, (id, account, login))), **next,
    )


# MARK: The steps


def read_own(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    process = state.machines[m].process
    account = state.accounts[process.id - 1]
    seen = change(state, m, own=True)
    words = f"reads the record of its account {process.id}: "
    if process.task in (LOGOUT, LEAVE):
        # A row that was read after a tombstone stays: an import may be on its way, and the next login finds the tombstone.
        yield "step", words + account.status, change(seen, m, doing=PUT) if account.has_login else end(state, m)
    elif process.task == RENAME and account.status == "live" and not account.ours:
        yield "step", words + "it has another login", change(seen, m, doing=ROW, session=account.session)
    elif process.task == IMPORT and account.status != "live" and not process.tried:
        yield "step", words + account.status, change(seen, m, doing=ROW)
    elif account.has_login and account.session == process.session:
        again = model.breaks(SECOND_WRITE)
        yield "step", words + "the write has landed", change(seen, m, doing=AGAIN if again else END)
    else:
        # After an unknown outcome, a tombstone may be that of a logout from this very session.
        yield "step", words + "another command was first", end(state, m)


def read_row(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    """The program first puts a row with the condition that it is absent, and reads it only if it is not. That is this step and the next
    one with nothing between them, so every order of it is one of these."""
    process = state.machines[m].process
    words = f"reads the row: account {state.row}" if state.row else "reads the row: none"
    if process.task == SYNCHRONIZE and state.row:
        yield "step", words, end(state, m)
        return
    if process.task in (LOGOUT, LEAVE):
        doing = DELETE if model.breaks("the row is read after the tombstone") else OWN
    elif state.row in (0, process.id):
        # The row is written also if it names the account: who has read it before can't give it away any more.
        keeps = model.breaks(SECOND_WRITE) or model.breaks("a row that names the account is not written")
        doing = PUT if state.row and keeps else TAKE
    else:
        doing = NAMED
    yield "step", words, change(state, m, doing=doing, named=state.row, row=True, other=False)


def read_named(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    process = state.machines[m].process
    account = state.accounts[process.named - 1]
    words = f"reads the record of account {process.named}: {account.status}"
    seen = change(state, m, other=True, replaced=0)
    if account.has_login:
        if process.task == LOGIN:
            yield "step", words, change(seen, m, doing=REPLACE, replaced=account.session)
        else:
            yield "step", words + ", and says that the login is taken", end(state, m)
    elif account.status == "missing":
        if model.breaks("waits for the account of a row"):
            return
        yield "step", words + ", and waits", change(seen, m, doing=TAKE if model.breaks("no burial") else HOLD)
    else:
        words += "" if account.ours else ", with another login"
        gives = model.breaks(SECOND_WRITE) or model.breaks("a row is given away without a write of the record")
        yield "step", words, change(seen, m, doing=TAKE if gives else HOLD)


def hold(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    """Writes the record that the row names, so that a slow machine can't make an account of this login of it: its write expects
    the revision before."""
    process = state.machines[m].process
    account = state.accounts[process.named - 1]
    words = f"writes the record of account {process.named} again"
    if account.status == "missing":
        account, words = Account("gone"), f"puts a tombstone for account {process.named}"

    def start_again(after: LoginState) -> LoginState:
        return change(after, m, doing=ROW)

    yield from swap_record(
        model, state, m, process.named, process.other, account, words,
        done=lambda after: change(after, m, doing=TAKE), conflict=start_again, unknown=start_again,
    )


def take(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    process = state.machines[m].process

    only = process.task == SYNCHRONIZE

    def done(after: LoginState) -> LoginState:
        return end(after, m) if only else change(after, m, doing=PUT, named=process.id)

    def unknown(after: LoginState) -> LoginState:
        if process.task in (IMPORT, RENAME):
            return change(after, m, doing=OWN)
        # Nothing was added, so the session of a login has no account.
        return end(revoke(after, process.session), m)

    yield from swap_row(
        model, state, m, process.id, f"puts account {process.id} into the row", done=done,
        conflict=lambda after: change(after, m, doing=ROW), unknown=unknown,
    )


def put(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    process = state.machines[m].process
    before = state.accounts[process.id - 1]
    if process.task == LOGOUT:
        account, words = Account("gone"), "leaves a tombstone"
    elif process.task == LEAVE:
        account, words = before._replace(ours=False), "renames the account away"
    else:
        account, words = Account("live", True, process.session), f"writes the record of account {process.id}"

    def done(after: LoginState) -> LoginState:
        if process.task == LOGOUT:
            after = revoke(after, before.session)
        if process.task in (LOGOUT, LEAVE):
            return change(after, m, doing=ROW if model.breaks("the row is read after the tombstone") else DELETE)
        again = model.breaks(SECOND_WRITE) and process.task != LOGIN
        return change(after, m, doing=AGAIN if again else END)

    def conflict(after: LoginState) -> LoginState:
        if process.task != LOGIN:
            return start_again(after)
        # Another machine has put a tombstone there, and gave the row away.
        id = unused(after)
        return change(after, m, doing=ROW, id=id) if id else end(revoke(after, process.session), m)

    def start_again(after: LoginState) -> LoginState:
        first = ROW if process.task in (LOGOUT, LEAVE) and not model.breaks("the row is read after the tombstone") else OWN
        return change(after, m, doing=first)

    def unknown(after: LoginState) -> LoginState:
        if process.task == LOGIN:
            return doubt(model, state, after, m, process.id)
        if process.task == IMPORT and not model.breaks("an import begins again after an unknown outcome"):
            # The same write under the same condition.
            return change(after, m, doing=PUT, tried=True)
        return start_again(after)

    holds = before.status == "missing" if process.task == LOGIN else process.own
    yield from swap_record(model, state, m, process.id, holds, account, words, done=done, conflict=conflict, unknown=unknown)


def doubt(model: LoginModel, before: LoginState, state: LoginState, m: int, id: int) -> LoginState:
    """The outcome of a login's write is unknown: the login is kept, with the condition of the write."""
    session = before.machines[m].process.session
    if model.breaks("revocation after an unknown record"):
        return end(revoke(state, session), m)
    return end(keep(state, m, Kept(id, session, fresh=state.accounts == before.accounts)), m)


def replace(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    """The new session takes the place of that in the record. Each attempt judges the record that it read."""
    process = state.machines[m].process
    id, holds = process.named, process.other
    if model.breaks("replace without the closure"):
        holds = state.accounts[id - 1].status == "live"
    yield from swap_record(
        model, state, m, id, holds, Account("live", True, process.session), f"replaces the session of account {id}",
        done=lambda after: change(after, m, doing=END, id=id),
        conflict=lambda after: change(after, m, doing=NAMED),
        unknown=lambda after: doubt(model, state, after, m, id),
    )


def finish(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    """`vault restore`, and the next login: repeats the write of a kept login with the same condition."""
    kept = state.machines[m].kept
    account = state.accounts[kept.id - 1]
    forgotten = keep(state, m, Kept())

    def done(after: LoginState) -> LoginState:
        return confirm(keep(revoke(after, account.session), m, Kept()), kept.id)

    if kept.fresh or model.breaks("a kept login without its condition") and account.has_login:
        yield from swap_record(
            model, state, m, kept.id, True, Account("live", True, kept.session), "writes the record of its kept login",
            done=done, conflict=done,
            unknown=lambda after: keep(after, m, kept._replace(fresh=after.accounts == state.accounts)),
        )
    elif account.status == "live" and account.session == kept.session:
        yield "step", "finds its kept login in the store", confirm(forgotten, kept.id)
    else:
        # Another machine has replaced or removed it, or was first.
        yield "step", "revokes its kept login", revoke(forgotten, kept.session)


def return_(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    process = state.machines[m].process
    yield "step", f"returns account {process.id}", end(confirm(revoke(state, process.replaced), process.id), m)


def delete(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    process = state.machines[m].process
    if process.named != process.id:
        yield "step", "leaves the row", end(state, m)
        return
    ends = {outcome: lambda after: end(after, m) for outcome in ("done", "conflict", "unknown")}
    yield from swap_row(model, state, m, 0, "deletes the row", **ends)


# MARK: The second write of the row, in the variant


def write_again(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    id = state.machines[m].process.id
    yield from swap_row(
        model, state, m, id, "writes the row again", done=lambda after: change(after, m, doing=END),
        conflict=lambda after: change(after, m, doing=UNDO),
        unknown=lambda after: change(after, m, doing=AGAIN, row=after.row == id),
    )


def undo(model: LoginModel, state: LoginState, m: int) -> Iterator[Step]:
    process = state.machines[m].process
    before = state.accounts[process.id - 1]
    if not before.has_login:
        yield "step", "has nothing to undo", end(state, m)
        return
    account = Account("gone") if process.task == IMPORT else before._replace(ours=False)
    after = write_record(state, process.id, account, login=False, by=m)
    yield "step", "undoes its write, and says that the login is taken", end(after, m)


STEP = {
    OWN: read_own, ROW: read_row, NAMED: read_named, HOLD: hold, TAKE: take, PUT: put, REPLACE: replace, END: return_,
    DELETE: delete, AGAIN: write_again, UNDO: undo,
}
