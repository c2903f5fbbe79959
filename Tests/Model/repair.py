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


def stop(state: State, at: Place) -> Step:
    return "step", "stops with status 7: the store went back to an earlier state", end_process(state, at)


def repair(model: Model, state: State, at: Place) -> Iterator[Step]:
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
