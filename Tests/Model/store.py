"""The store: a record that changes by compare-and-swap, writes whose outcome is unknown, and rollback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from state import Place, Record, State, Step, broken, excuse

if TYPE_CHECKING:
    from world import Model

# What the caller does with the outcome of a write.
Next = Callable[[State], State]


def write(state: State, record: Record, by: Place | None = None) -> State:
    """The state after a write. Whoever read the record before, other than the writer, has an old revision now."""
    before = state.record
    if before.status == "gone" and record.status != "gone":
        state = broken(state, "a removed account was created again")
    taken = before.claim
    if taken.forgotten and record.claim.id not in (0, taken.id):
        state = excuse(state, "takeover by command", before.token)
    if state.older is not None:
        machines = tuple(
            machine._replace(behind=0 if by and by[0] == m else min(machine.behind + 1, 2))
            for m, machine in enumerate(state.machines)
        )
        state = state._replace(older=(before, *state.older)[:2], machines=machines)
    return _moved(state, record, by)


def roll_back(state: State, writes: int, identified: bool) -> State:
    """The state after the store lost its last writes. A machine notices that if it has read a lost write, or if the store has
    another id then."""
    record = state.older[writes - 1]
    if record.token < state.record.token or record.claim != state.record.claim:
        state = excuse(state, "rollback", record.token)
        # A repair does not wait for an ephemeral machine. Only that machine may know that it has spent a later token.
        if any(not machine.durable for machine in state.machines):
            for token in range(record.token + 1, state.record.token + 1):
                state = excuse(state, "rollback", token)
    state = _moved(state._replace(older=(), lineage=state.lineage + 1), record, None)
    machines = tuple(
        machine if identified or machine.durable and machine.behind < writes else machine._replace(lineage=state.lineage)
        for machine in state.machines
    )
    return state._replace(machines=machines)


def _moved(state: State, record: Record, by: Place | None) -> State:
    machines = []
    for m, machine in enumerate(state.machines):
        processes = tuple(
            process if process.fresh == ((m, p) == by) else process._replace(fresh=(m, p) == by)
            for p, process in enumerate(machine.processes)
        )
        intent = machine.intent
        if intent.fresh:
            intent = intent._replace(fresh=False)
        machines.append(machine._replace(processes=processes, intent=intent))
    return state._replace(record=record, late=(), machines=tuple(machines))


def swap(model: Model, state: State, at: Place, record: Record, done: Next, conflict: Next, unknown: Next) -> Iterator[Step]:
    """A compare-and-swap by a process: all that can come of it.

    `done`, `conflict` and `unknown` turn a state into the next state of the caller. After an unknown outcome the write
    has landed, or it may still land while the revision is the one that it expects.
    """
    m, p = at
    if not state.machines[m].processes[p].fresh:
        yield "step", ", but the record has another revision", conflict(state)
        return
    yield "step", "", done(write(state, record, by=at))
    if model.may(state, "unknown outcome"):
        state = model.spend(state)
        yield "fault", ", and gets no answer; the write has landed", unknown(write(state, record))
        yield "fault", ", and gets no answer; the write is still on its way", unknown(
            state._replace(late=(*state.late, record))
        )


def prefixed(words: str, steps: Iterator[Step]) -> Iterator[Step]:
    for kind, more, state in steps:
        yield kind, words + more, state


def land(state: State) -> Iterator[Step]:
    """Writes that land late. They expect the present revision, because every write drops the others."""
    for record in dict.fromkeys(state.late):
        yield "step", "the store: a late write lands", write(state, record)
        rest = list(state.late)
        rest.remove(record)
        yield "step", "the store: a late write never arrives", state._replace(late=tuple(rest))
