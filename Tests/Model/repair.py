"""A store that went back (E8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from state import OWN_WAIT, Claim, Machine, Place, Record, State, Step, change_machine, end_process, parts
from store import write

if TYPE_CHECKING:
    from world import Model


# E8: rollback. Noticed by the store's id (the cluster id of etcd), by a revision that went back, or by a record that is behind
# the machine's copy. The header of the store says who has repaired, so that no machine rotates before all have.
def must_stop(model: Model, state: State, machine: Machine) -> bool:
    if model.breaks("no high-water mark"):
        return False
    if state.record.token < machine.seen or machine.lineage != state.lineage:
        return True
    return state.repairing and not model.breaks("repair by one machine")


def stop(model: Model, state: State, at: Place) -> Step:
    """The machine uses no token. If it is ahead of the record, it keeps the others from using one too."""
    machine, _ = parts(state, at)
    words = "stops with status 7: the store went back to an earlier state"
    if newest(state, machine) <= state.record.token:
        return "step", words, end_process(state, at)
    noticed = begin(state, at)
    record = state.record
    # An ephemeral machine is not awaited, and may never come back. So it offers what it has at once.
    if not machine.durable and not model.breaks("the repair forgets the machine that noticed"):
        if may_be_on_its_way(state, machine):
            noticed = change_machine(noticed, at[0], lineage=state.lineage - 1)
            words += "; a repair has to wait for this machine"
        else:
            more, record = offer(noticed, at)
            words += "; " + more
    if record != state.record or not state.repairing:
        noticed = write(noticed, record, by=at)
    return "step", words, end_process(noticed, at)


def begin(state: State, at: Place) -> State:
    """From now on, no machine begins to send the token of the record. All durable machines are awaited."""
    if not state.repairing:
        lineages = {True: state.lineage - 1, False: state.lineage}
        machines = tuple(machine._replace(lineage=lineages[machine.durable]) for machine in state.machines)
        state = state._replace(repairing=True, machines=machines)
    # What this machine has noticed is no excuse any more, except for a rotation that goes on.
    noticed = set(range(state.record.token, newest(state, state.machines[at[0]])))
    noticed -= {process.token for machine in state.machines for process in machine.processes if process.id}
    noticed -= {orphan.token for orphan in state.orphans}
    state = state._replace(causes=state.causes - {("rollback", token) for token in noticed})
    return state


def newest(state: State, machine: Machine) -> int:
    return max(machine.seen, state.record.token, machine.spool + 1)


def may_be_on_its_way(state: State, machine: Machine) -> bool:
    """Whether a request for the newest token may be on its way. After the wait its answer is lost, or in the spool."""
    if not machine.intent.sent or machine.intent.token != newest(state, machine):
        return False
    return machine.watch[0] != machine.intent.id or machine.watch[1] < OWN_WAIT


def offer(state: State, at: Place) -> tuple[str, Record]:
    """What the machine has for the record."""
    machine, _ = parts(state, at)
    token, words, record = newest(state, machine), "has nothing newer", state.record
    if token > record.token:
        place = "spool" if token > machine.seen else "copy"
        words, record = f"offers token {token} of its {place}", Record(token)
    if machine.tried and machine.seen == token:
        record = record._replace(unsure=True)
    return words, record


def repair(model: Model, state: State, at: Place) -> Iterator[Step]:
    """`vault flush --repair`, under the lock: the machine offers what it has, and the newest token wins."""
    machine, _ = parts(state, at)
    if model.breaks("no high-water mark") or (machine.lineage == state.lineage and machine.seen <= state.record.token):
        return
    state = begin(state, at)
    if may_be_on_its_way(state, machine):
        if machine.watch[0] != machine.intent.id:
            yield "step", "flush --repair: waits for its own request", change_machine(
                state, at[0], watch=(machine.intent.id, 0)
            )
        return
    words, record = offer(state, at)
    state = change_machine(state, at[0], lineage=state.lineage, behind=0)
    if all(other.lineage == state.lineage for other in state.machines):
        # The last one. Each durable machine has held its lock, so none works under a claim of the time before.
        state = state._replace(repairing=False)
        if record.claim.durable and not model.breaks("repair keeps the claims"):
            record = record._replace(unsure=True, claim=Claim())
    if record != state.record:
        state = end_process(write(state, record, by=at), at)
    yield "step", "flush --repair: " + words, state
