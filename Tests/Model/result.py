"""The protocol after the request: the answer, the commit, a refusal, a withdrawal and a logout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from repair import must_stop, stop
from state import (
    COMMIT, COMMITTING, CONDEMN, DROP, JUDGE, LOSSES, READ, TOMBSTONE, Claim, Intent, Place, Record, State, Step,
    broken, change_machine, change_process, end_process, excuse, forget_intent, keep_copy, parts,
)
from store import prefixed, swap, write

if TYPE_CHECKING:
    from world import Model


# E7: the answer is in the sealed spool, with fsync, before anything else is done with it.
def spool(model: Model, state: State, at: Place) -> Iterator[Step]:
    _, process = parts(state, at)
    if model.breaks("use before the spool"):
        state = use(state, at, process.token + 1)
    after = change_machine(state, at[0], spool=process.token)
    yield "step", f"has token {process.token + 1} in its spool", change_process(after, at, doing=COMMITTING, request_age=0)


def flush(model: Model, state: State, at: Place) -> Step:
    """E7: what the record says about an answer in the spool."""
    machine, process = parts(state, at)
    record, spent = state.record, machine.spool
    if record.status == "gone" and not model.breaks("flush creates a removed account"):
        return "step", "finds the account removed: revokes its token", drop(revoke(state), at, keep_process=False)
    if record.token == spent or record.status == "gone" or model.breaks("commit without a condition"):
        return "step", f"finds the token that it spent, {spent}", change_process(state, at, doing=COMMITTING)
    if model.breaks("newer record revokes the spool"):
        return "step", "finds a newer token, and revokes its own", drop(revoke(state), at, keep_process=False)
    # The newer token comes from this one. To revoke it would end the session that it belongs to.
    return "step", "finds its answer in the record already", change_process(state, at, doing=DROP)


# E7: the condition of the commit is the spent token, not the claim.
def commit(model: Model, state: State, at: Place) -> Iterator[Step]:
    machine, process = parts(state, at)
    words = f"commits token {machine.spool + 1}"
    new = Record(machine.spool + 1)

    def done(after: State) -> State:
        return change_process(after, at, doing=DROP)

    def read_next(after: State) -> State:
        return change_process(after, at, doing=READ)

    def conflict(after: State) -> State:
        if model.breaks("commit by revision"):
            return drop(after, at, keep_process=False)
        return read_next(after)

    if model.breaks("commit without a condition"):
        yield "step", words + " without a condition", done(write(state, new, by=at))
    else:
        yield from prefixed(words, swap(model, state, at, new, done, conflict, read_next))


def drop_spool(model: Model, state: State, at: Place) -> Iterator[Step]:
    machine, process = parts(state, at)
    token = machine.spool + 1
    after = drop(use(state, at, token), at, keep_process=process.logout)
    yield "step", f"uses token {token}, and removes its spool", after


def drop(state: State, at: Place, keep_process: bool) -> State:
    """Removes spool and intent. A logout goes on; another process ends."""
    state = keep_copy(change_machine(state, at[0], spool=-1, intent=Intent()), at, state.record.token)
    return change_process(state, at, doing=READ, id=0) if keep_process else end_process(state, at)


def use(state: State, at: Place, token: int) -> State:
    """The new access token is used, so the caller takes the new session as saved."""
    if parts(state, at)[0].spool + 1 != token and state.record.token < token:
        return broken(state, f"token {token} was used before it was durable anywhere")
    return state


def give_up(model: Model, state: State, at: Place) -> Iterator[Step]:
    """The store can't be reached."""
    machine, process = parts(state, at)
    if machine.spool < 0:
        yield "step", "can't reach the store: status 12", end_process(state, at)
    elif model.breaks("spool only in memory"):
        yield "step", "can't reach the store, and ends", end_process(change_machine(state, at[0], spool=-1), at)
    elif machine.durable:
        yield "step", "can't reach the store; the answer stays in its spool", end_process(use(state, at, machine.spool + 1), at)
    elif process.request_age >= COMMIT:
        # E4: the claimant says that the session is lost unless the store comes back.
        after = excuse(state, "lost spool", machine.spool)
        yield "step", "tried to commit for the whole commit timeout, and says that the session is lost", end_process(after, at)


# E7: whoever gets invalid_grant reads again before it writes that.
def judge(model: Model, state: State, at: Place) -> Iterator[Step]:
    machine, process = parts(state, at)
    record = state.record
    if must_stop(model, state, machine):
        yield stop(model, state, at)
        return
    state = change_machine(state, at[0], behind=0)
    if record.status != "ok" or record.token != process.token:
        yield "step", "reads the record again: it has changed", change_process(state, at, doing=READ, id=0)
    elif record.claim.id != process.id:
        # Only the holder of the claim decides; it may have the answer.
        yield "step", "reads the record again: the claim is another's now", end_process(forget_intent(state, at), at)
    else:
        yield "step", "reads the record again: it still has the token", change_process(state, at, doing=CONDEMN, fresh=True)


def condemn(model: Model, state: State, at: Place) -> Iterator[Step]:
    _, process = parts(state, at)
    status = "lost" if state.record.unsure or process.unsure else "expired"
    new = state.record._replace(status=status, claim=Claim())

    def done(after: State) -> State:
        # After a rollback nobody may know that a request was sent, if the store can't say that it went back.
        unknown = state.logged_out or ("rollback", process.token) in state.causes and not model.config.identified
        if status == "expired" and not unknown and is_lost(state, process.token):
            after = broken(after, "a rotation that was lost is called an expired session")
        return end_process(forget_intent(after, at), at)

    def read_next(after: State) -> State:
        return change_process(after, at, doing=JUDGE)

    words = f"writes that the session is {status}"
    if model.breaks("lost_rotation without reading again"):
        yield "step", words + " without reading again", done(write(state, new._replace(token=process.token), by=at))
    else:
        yield from prefixed(words, swap(model, state, at, new, done, read_next, read_next))


def is_lost(state: State, token: int) -> bool:
    """Whether the successor of this token may be lost. Only the checks know that."""
    return any((cause, token) in state.causes for cause in LOSSES)


# E3: a claim for which nothing was sent is withdrawn. The write is made even if the claim is not seen, because it moves the
# revision, so that the claim can't land any more.
def withdraw(model: Model, state: State, at: Place) -> Iterator[Step]:
    record = state.record
    intent = parts(state, at)[0].intent
    new = record
    if record.claim.id == intent.id:
        unsure = record.unsure and not model.breaks("withdrawal forgets the earlier attempt")
        new = record._replace(claim=Claim(), unsure=unsure)

    def done(after: State) -> State:
        return end_process(forget_intent(after, at), at)

    def read_next(after: State) -> State:
        return change_process(after, at, doing=READ)

    yield from prefixed("withdraws its claim", swap(model, state, at, new, done, read_next, read_next))


# E12: logout claims, revokes, and leaves a tombstone.
def revoke_session(model: Model, state: State, at: Place) -> Iterator[Step]:
    after = revoke(state._replace(logged_out=True))
    yield "step", "revokes the session", change_process(after, at, doing=TOMBSTONE)


def revoke(state: State) -> State:
    """A revocation ends the whole session at the server, also with a token that is spent."""
    if state.alive and not state.logged_out:
        state = broken(state, "a session that is alive was revoked, and nobody logged out")
    return state._replace(alive=False)


def tombstone(model: Model, state: State, at: Place) -> Iterator[Step]:
    new = Record(state.record.token, "gone")

    def done(after: State) -> State:
        return end_process(forget_intent(after, at), at)

    def read_next(after: State) -> State:
        return change_process(after, at, doing=READ)

    yield from prefixed("leaves a tombstone", swap(model, state, at, new, done, read_next, read_next))
