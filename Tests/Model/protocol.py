"""The protocol of docs/design/claims.md, one function for each step. A step uses only the store's record and what the
machine itself holds: its intent, its spool, its count of a claim, its copy, and the memory of the process.

`model.breaks(...)` asks for a broken variant. Without variants, these are the rules.
"""

import server
from state import (
    ANSWERED, CHECK, CLAIM, COMMIT, COMMITTING, CONDEMN, DROP, FROZEN, IDLE, JUDGE, MARK, OWN_WAIT, READ, REVOKE, SEND, TAKEOVER,
    LOSSES, TOMBSTONE, WAITING, WITHDRAW, Claim, Intent, Orphan, Record, broken, change_machine, change_process, end_process, excuse,
    new_claim,
)
from store import swap, write


def steps(model, state, at):
    """What the process can do next: (kind, words, next state)."""
    machine, process = parts(state, at)
    if machine.cut and process.doing in NEEDS_STORE:
        return give_up(model, state, at)
    return STEP[process.doing](model, state, at)


def parts(state, at):
    machine = state.machines[at[0]]
    return machine, machine.processes[at[1]]


# E2: the lock is held from the read to the commit.
def start(model, state, at):
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


def prefixed(words, steps):
    for kind, more, state in steps:
        yield kind, words + more, state


def read_again(model, state, at):
    yield from prefixed("reads the record and ", read(model, state, at))


def read(model, state, at):
    """Judges the record that was just read. This is where all ways through the protocol begin."""
    machine, process = parts(state, at)
    record, intent = state.record, machine.intent
    state = change_process(state, at, fresh=True, doing=READ)

    if must_stop(model, state, machine):
        yield stop(state, at)
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


def waited(model, state, at, limit, words, then):
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
def begin(model, state, at):
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


def retry(model, state, at):
    """An attempt of this machine got no answer. The claim keeps its id: were the intent replaced first, a crash before the
    claim would leave a claim that no intent names."""
    machine, _ = parts(state, at)
    if model.breaks("retry under a new id"):
        return begin(model, state, at)
    id = machine.intent.id
    # The count was of the last attempt.
    state = change_machine(state, at[0], watch=(0, 0))
    return change_process(state, at, doing=CLAIM, id=id, token=state.record.token, unsure=True, age=0, challenged=False)


def claim(model, state, at):
    machine, process = parts(state, at)
    claimed = state.record._replace(unsure=process.unsure, claim=Claim(process.id, machine.durable))
    words = f"writes claim #{process.id} for token {process.token}"

    def done(after):
        return change_process(after, at, doing=after_claim(process))

    def read_next(after):
        return change_process(after, at, doing=READ)

    yield from prefixed(words, swap(model, state, at, claimed, done, read_next, read_next))


def after_claim(process):
    return REVOKE if process.logout else MARK


def mark(model, state, at):
    machine, process = parts(state, at)
    intent = Intent(process.id, process.token, sent=not model.breaks("no mark `sent`"))
    after = change_machine(change_process(state, at, doing=CHECK), at[0], intent=intent, tried=True)
    yield "step", "marks its intent as sent", after


# E6: each sending passes this check, also after a nonce.
def check(model, state, at):
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


def send(state, at, **changes):
    return change_process(state, at, doing=WAITING, request_age=0, **changes)


def thaw(model, state, at):
    yield "step", "goes on, and sends its token", send(state, at)


def wait_for_answer(model, state, at):
    yield from server.answer(model, state, at)
    if model.may(state, "no answer"):
        yield "fault", "gives up waiting for the answer", model.spend(leave_request(state, at, "answer lost"))


def leave_request(state, at, cause):
    """The process ends while its request is on its way."""
    _, process = parts(state, at)
    state = state._replace(orphans=(*state.orphans, Orphan(process.token, process.request_age, cause)))
    return end_process(state, at)


# E7: the answer is in the sealed spool, with fsync, before anything else is done with it.
def spool(model, state, at):
    _, process = parts(state, at)
    if model.breaks("use before the spool"):
        state = use(state, at, process.token + 1)
    after = change_machine(state, at[0], spool=process.token)
    yield "step", f"has token {process.token + 1} in its spool", change_process(after, at, doing=COMMITTING, request_age=0)


def flush(model, state, at):
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
def commit(model, state, at):
    machine, process = parts(state, at)
    words = f"commits token {machine.spool + 1}"
    new = Record(machine.spool + 1)

    def done(after):
        return change_process(after, at, doing=DROP)

    def read_next(after):
        return change_process(after, at, doing=READ)

    def conflict(after):
        if model.breaks("commit by revision"):
            return drop(after, at, keep_process=False)
        return read_next(after)

    if model.breaks("commit without a condition"):
        yield "step", words + " without a condition", done(write(state, new, by=at))
    else:
        yield from prefixed(words, swap(model, state, at, new, done, conflict, read_next))


def drop_spool(model, state, at):
    machine, process = parts(state, at)
    token = machine.spool + 1
    after = drop(use(state, at, token), at, keep_process=process.logout)
    yield "step", f"uses token {token}, and removes its spool", after


def drop(state, at, keep_process):
    """Removes spool and intent. A logout goes on; another process ends."""
    state = keep_copy(change_machine(state, at[0], spool=-1, intent=Intent()), at, state.record.token)
    return change_process(state, at, doing=READ, id=0) if keep_process else end_process(state, at)


def use(state, at, token):
    """The new access token is used, so the caller takes the new session as saved."""
    if parts(state, at)[0].spool + 1 != token and state.record.token < token:
        return broken(state, f"token {token} was used before it was durable anywhere")
    return state


def give_up(model, state, at):
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
def judge(model, state, at):
    machine, process = parts(state, at)
    record = state.record
    if must_stop(model, state, machine):
        yield stop(state, at)
        return
    state = change_machine(state, at[0], behind=0)
    if record.status != "ok" or record.token != process.token:
        yield "step", "reads the record again: it has changed", change_process(state, at, doing=READ, id=0)
    elif record.claim.id != process.id:
        # Only the holder of the claim decides; it may have the answer.
        yield "step", "reads the record again: the claim is another's now", end_process(forget_intent(state, at), at)
    else:
        yield "step", "reads the record again: it still has the token", change_process(state, at, doing=CONDEMN, fresh=True)


def condemn(model, state, at):
    _, process = parts(state, at)
    status = "lost" if state.record.unsure or process.unsure else "expired"
    new = state.record._replace(status=status, claim=Claim())

    def done(after):
        # After a rollback nobody may know that a request was sent, if the store can't say that it went back.
        unknown = state.logged_out or ("rollback", process.token) in state.causes and not model.config.identified
        if status == "expired" and not unknown and is_lost(state, process.token):
            after = broken(after, "a rotation that was lost is called an expired session")
        return end_process(forget_intent(after, at), at)

    def read_next(after):
        return change_process(after, at, doing=JUDGE)

    words = f"writes that the session is {status}"
    if model.breaks("lost_rotation without reading again"):
        yield "step", words + " without reading again", done(write(state, new._replace(token=process.token), by=at))
    else:
        yield from prefixed(words, swap(model, state, at, new, done, read_next, read_next))


def is_lost(state, token):
    """Whether the successor of this token may be lost. Only the checks know that."""
    return any((cause, token) in state.causes for cause in LOSSES)


# E3: a claim for which nothing was sent is withdrawn. The write is made even if the claim is not seen, because it moves the
# revision, so that the claim can't land any more.
def withdraw(model, state, at):
    record = state.record
    intent = parts(state, at)[0].intent
    new = record
    if record.claim.id == intent.id:
        unsure = record.unsure and not model.breaks("withdrawal forgets the earlier attempt")
        new = record._replace(claim=Claim(), unsure=unsure)

    def done(after):
        return end_process(forget_intent(after, at), at)

    def read_next(after):
        return change_process(after, at, doing=READ)

    yield from prefixed("withdraws its claim", swap(model, state, at, new, done, read_next, read_next))


def keep_copy(state, at, token):
    """The local copy of the record never goes back."""
    if token <= state.machines[at[0]].seen:
        return state
    return change_machine(state, at[0], seen=token, tried=False)


def forget_intent(state, at):
    return change_machine(state, at[0], intent=Intent())


# E12: logout claims, revokes, and leaves a tombstone.
def revoke_session(model, state, at):
    after = revoke(state._replace(logged_out=True))
    yield "step", "revokes the session", change_process(after, at, doing=TOMBSTONE)


def revoke(state):
    """A revocation ends the whole session at the server, also with a token that is spent."""
    if state.alive and not state.logged_out:
        state = broken(state, "a session that is alive was revoked, and nobody logged out")
    return state._replace(alive=False)


def tombstone(model, state, at):
    new = Record(state.record.token, "gone")

    def done(after):
        return end_process(forget_intent(after, at), at)

    def read_next(after):
        return change_process(after, at, doing=READ)

    yield from prefixed("leaves a tombstone", swap(model, state, at, new, done, read_next, read_next))


# E8: rollback. Noticed by the store's id (the cluster id of etcd), by a revision that went back, or by a record that is behind
# the machine's copy. The header of the store says who has repaired, so that no machine rotates before all have.
def must_stop(model, state, machine):
    if model.breaks("no high-water mark"):
        return False
    if state.record.token < machine.seen or machine.lineage != state.lineage:
        return True
    return state.repairing and not model.breaks("repair by one machine")


def stop(state, at):
    return "step", "stops with status 7: the store went back to an earlier state", end_process(state, at)


def repair(model, state, at):
    """`vault flush --repair`, under the lock: the machine offers what it has, and the newest token wins."""
    machine, _ = parts(state, at)
    record = state.record
    if model.breaks("no high-water mark") or (machine.lineage == state.lineage and machine.seen <= record.token):
        return
    if not state.repairing:
        state = state._replace(
            repairing=True, machines=tuple(other._replace(lineage=state.lineage - 1) for other in state.machines)
        )
    newest = max(machine.seen, record.token, machine.spool + 1)
    # A request for the newest token may still be on its way. After the wait its answer is lost, or in the spool.
    sent = machine.intent.sent and machine.intent.token == newest
    if sent and (machine.watch[0] != machine.intent.id or machine.watch[1] < OWN_WAIT):
        if machine.watch[0] != machine.intent.id:
            yield "step", "flush --repair: waits for its own request", change_machine(
                state, at[0], watch=(machine.intent.id, 0)
            )
        return
    words = "flush --repair: has nothing newer"
    if newest > record.token:
        place = "spool" if newest > machine.seen else "copy"
        words, record = f"flush --repair: offers token {newest} of its {place}", Record(newest)
    if machine.tried and machine.seen == newest:
        record = record._replace(unsure=True)
    state = change_machine(state, at[0], lineage=state.lineage, behind=0)
    if all(other.lineage == state.lineage for other in state.machines):
        # The last one. Each machine has held its lock, so nobody works under a claim of the time before.
        state = state._replace(repairing=False)
        if not model.breaks("repair keeps the claims"):
            record = record._replace(unsure=record.unsure or record.claim.id != 0, claim=Claim())
    if record != state.record:
        state = end_process(write(state, record, by=at), at)
    yield "step", words, state


NEEDS_STORE = {READ, CLAIM, COMMITTING, JUDGE, CONDEMN, WITHDRAW, TOMBSTONE}

STEP = {
    IDLE: start, READ: read_again, CLAIM: claim, MARK: mark, CHECK: check, FROZEN: thaw, WAITING: wait_for_answer,
    ANSWERED: spool, COMMITTING: commit, DROP: drop_spool, JUDGE: judge, CONDEMN: condemn, WITHDRAW: withdraw,
    REVOKE: revoke_session, TOMBSTONE: tombstone,
}
