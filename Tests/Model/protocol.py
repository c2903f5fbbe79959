"""The protocol of docs/design/shared-vault.md, one function for each step. A step uses only the store's record and what the
machine itself holds: its intent, its spool, its count of a claim, its copy, and the memory of the process.

`model.breaks(...)` asks for a broken variant. Without variants, these are the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import server
from repair import must_stop, repair, stop
from result import commit, condemn, drop_spool, flush, give_up, judge, revoke_session, spool, tombstone, withdraw
from state import (
    ANSWERED, CHECK, CLAIM, COMMIT, COMMITTING, CONDEMN, DROP, FROZEN, IDLE, JUDGE, MARK, OWN_WAIT, READ, REVOKE,
    SEND, TAKEOVER, TOMBSTONE, WAITING, WITHDRAW, Claim, Intent, Orphan, Place, Process, State, Step,
    change_machine, change_process, end_process, forget_intent, keep_copy, new_claim, parts,
)
from store import prefixed, swap

if TYPE_CHECKING:
    from world import Model


def steps(model: Model, state: State, at: Place) -> Iterator[Step]:
    """What the process can do next: (kind, words, next state)."""
    machine, process = parts(state, at)
    if machine.cut and process.doing in NEEDS_STORE:
        return give_up(model, state, at)
    return STEP[process.doing](model, state, at)


# E2: the lock is held from the read to the commit.
def start(model: Model, state: State, at: Place) -> Iterator[Step]:
    machine, process = parts(state, at)
    if not machine.up or machine.cut:
        return
    if not model.breaks("no local lock") and any(other.doing != IDLE for other in machine.processes):
        return
    yield from repair(model, state, at)
    if machine.spool >= 0 or machine.intent.id or machine.seen <= state.stale:
        yield from prefixed("takes the lock, reads the record and ", read(model, state, at))
    if state.budget.logouts:
        begun = state._replace(budget=state.budget._replace(logouts=state.budget.logouts - 1))
        begun = change_process(begun, at, logout=True)
        for _, words, after in read(model, begun, at):
            yield "command", "logout: takes the lock, reads the record and " + words, after


def read_again(model: Model, state: State, at: Place) -> Iterator[Step]:
    yield from prefixed("reads the record and ", read(model, state, at))


def read(model: Model, state: State, at: Place) -> Iterator[Step]:
    """Judges the record that was just read. This is where all ways through the protocol begin."""
    machine, process = parts(state, at)
    record, intent = state.record, machine.intent
    state = change_process(state, at, fresh=True, doing=READ)

    if must_stop(model, state, machine):
        yield stop(model, state, at)
        return
    state = change_machine(state, at[0], behind=0)
    if machine.spool >= 0:
        yield flush(model, state, at)
        return
    if record.status != "ok":
        yield "step", f"finds the account {record.status}, and says so", end_process(forget_intent(state, at), at)
        return
    if process.id and record.claim.id == process.id and (record.unsure or not process.unsure):
        yield "step", "sees that its claim has landed", change_process(state, at, doing=after_claim(process))
        return
    if process.id and intent.fresh and intent.id == process.id:
        # E3: the write may still land. The same claim is sent again, so at most one of this id can land.
        yield "step", "sees that its claim has not landed, and repeats it", change_process(state, at, doing=CLAIM)
        return
    process = process._replace(id=0)
    state = change_process(state, at, id=0)

    earlier = intent.id and intent.token == record.token
    if earlier and not intent.sent:
        if intent.id == record.claim.id or (intent.fresh and not model.breaks("intent dropped while its claim may land")):
            yield "step", "finds its own claim, for which nothing was sent", change_process(state, at, doing=WITHDRAW)
            return
    if record.token > state.stale and not process.logout:
        after = keep_copy(forget_intent(state, at), at, record.token)
        yield "step", f"adopts token {record.token}", end_process(after, at)
        return
    if earlier and intent.sent and intent.id == record.claim.id and machine.durable:
        # E2: "mine, left over" needs the lock and the id in the intent.
        yield from waited(model, state, at, 0 if model.breaks("retry at once") else OWN_WAIT, "repeats its own attempt", retry)
        return
    claim = record.claim
    if not claim.id:
        yield "step", "sees no claim, and writes an intent", begin(model, state, at)
    elif claim.forgotten:
        yield "step", "takes over a claim of a forgotten machine", begin(model, state, at)
    elif not claim.durable or model.breaks("takeover of a durable claim by time"):
        wait = TAKEOVER - COMMIT if model.breaks("takeover during the commit time") else TAKEOVER
        if model.breaks("time by the other's clock"):
            # The clock of this machine is an hour ahead, so the start of every claim seems to be an hour ago.
            yield "step", "finds the claim an hour old by its own clock, and takes it over", begin(model, state, at)
        else:
            yield from waited(model, state, at, wait, "takes the claim over", begin)
    else:
        yield "step", "says which machine the account waits for (status 75)", end_process(state, at)


def waited(
    model: Model, state: State, at: Place, limit: int, words: str, then: Callable[[Model, State, Place], State]
) -> Iterator[Step]:
    """E6: counts on this machine's boot clock, from the first reading of this claim's id."""
    machine, _ = parts(state, at)
    id, ticks = machine.watch
    if id != state.record.claim.id:
        id, ticks = state.record.claim.id, 0
    if ticks >= limit:
        yield "step", words, then(model, state, at)
    else:
        after = change_machine(state, at[0], watch=(id, ticks))
        yield "step", f"waits: it counts {ticks} of {limit} ticks for the claim", end_process(after, at)


# E3: the intent is durable before the claim. E8: so is the copy of the record, or a rollback could hide what was spent here.
def begin(model: Model, state: State, at: Place) -> State:
    machine, _ = parts(state, at)
    record = state.record
    # After a rollback, the copy may be all that still knows of an earlier attempt (E8).
    own = machine.tried and machine.seen == record.token
    id = new_claim(state)
    state = change_process(
        state, at, doing=CLAIM, id=id, token=record.token, unsure=record.unsure or bool(record.claim.id) or own,
        age=0, challenged=False,
    )
    state = keep_copy(state, at, record.token)
    if model.breaks("claim before the intent"):
        return state
    return change_machine(state, at[0], intent=Intent(id, record.token, sent=False, fresh=True))


def retry(model: Model, state: State, at: Place) -> State:
    """An attempt of this machine got no answer. The claim keeps its id: were the intent replaced first, a crash before the
    claim would leave a claim that no intent names."""
    machine, _ = parts(state, at)
    if model.breaks("retry under a new id"):
        return begin(model, state, at)
    id = machine.intent.id
    # The count was of the last attempt.
    state = change_machine(state, at[0], watch=(0, 0))
    return change_process(state, at, doing=CLAIM, id=id, token=state.record.token, unsure=True, age=0, challenged=False)


def claim(model: Model, state: State, at: Place) -> Iterator[Step]:
    machine, process = parts(state, at)
    claimed = state.record._replace(unsure=process.unsure, claim=Claim(process.id, machine.durable))
    words = f"writes claim #{process.id} for token {process.token}"

    def done(after: State) -> State:
        return change_process(after, at, doing=after_claim(process))

    def read_next(after: State) -> State:
        return change_process(after, at, doing=READ)

    yield from prefixed(words, swap(model, state, at, claimed, done, read_next, read_next))


def after_claim(process: Process) -> str:
    return REVOKE if process.logout else MARK


def mark(model: Model, state: State, at: Place) -> Iterator[Step]:
    machine, process = parts(state, at)
    intent = Intent(process.id, process.token, sent=not model.breaks("no mark `sent`"))
    after = change_machine(change_process(state, at, doing=CHECK), at[0], intent=intent, tried=True)
    yield "step", "marks its intent as sent", after


# E6: each sending passes this check, also after a nonce.
def check(model: Model, state: State, at: Place) -> Iterator[Step]:
    machine, process = parts(state, at)
    if process.age <= SEND or (process.challenged and model.breaks("resend without a check")):
        yield "step", f"is in time, and sends token {process.token}", send(state, at)
        if model.may(state, "pause"):
            yield "fault", "is in time, and stands still before it sends", model.spend(
                change_process(state, at, doing=FROZEN, proof_age=0)
            )
        return
    # This process knows that it sent nothing, so it takes its mark back. Of an earlier attempt it knows nothing.
    after = change_machine(state, at[0], intent=machine.intent._replace(sent=False), tried=process.unsure)
    yield "step", "is too late, and sends nothing", change_process(after, at, doing=READ, id=0)


def send(state: State, at: Place, **changes: object) -> State:
    return change_process(state, at, doing=WAITING, request_age=0, **changes)


def thaw(model: Model, state: State, at: Place) -> Iterator[Step]:
    yield "step", "goes on, and sends its token", send(state, at)


def wait_for_answer(model: Model, state: State, at: Place) -> Iterator[Step]:
    yield from server.answer(model, state, at)
    if model.may(state, "no answer"):
        yield "fault", "gives up waiting for the answer", model.spend(leave_request(state, at, "answer lost"))


def leave_request(state: State, at: Place, cause: str) -> State:
    """The process ends while its request is on its way."""
    _, process = parts(state, at)
    state = state._replace(orphans=(*state.orphans, Orphan(process.token, process.request_age, cause)))
    return end_process(state, at)


NEEDS_STORE = {READ, CLAIM, COMMITTING, JUDGE, CONDEMN, WITHDRAW, TOMBSTONE}

STEP = {
    IDLE: start, READ: read_again, CLAIM: claim, MARK: mark, CHECK: check, FROZEN: thaw, WAITING: wait_for_answer,
    ANSWERED: spool, COMMITTING: commit, DROP: drop_spool, JUDGE: judge, CONDEMN: condemn, WITHDRAW: withdraw,
    REVOKE: revoke_session, TOMBSTONE: tombstone,
}
