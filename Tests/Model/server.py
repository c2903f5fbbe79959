"""The authorization server. It ends the session when it sees a spent token, and when a token is revoked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from state import ANSWERED, CHECK, CONDEMN, JUDGE, Place, State, Step, broken, change_process, excuse

if TYPE_CHECKING:
    from world import Model

# The longest age of a proof that the server takes.
PROOF = 1


def answer(model: Model, state: State, at: Place) -> Iterator[Step]:
    """The answer to the request of a process that waits for it: (kind, words, next state)."""
    m, p = at
    process = state.machines[m].processes[p]
    if model.config.challenges and not process.challenged:
        again = change_process(state, at, doing=CHECK, challenged=True, proof_age=0)
        yield "step", "is asked for a nonce, and has to send again", again
    if model.config.judges_proof_age and process.proof_age > PROOF:
        # The proof is judged before the token, so nothing is spent.
        yield "step", "is refused: the proof is too old", change_process(state, at, doing=CHECK, challenged=True)
        return
    granted, after = present(model, state, process.token, at)
    if granted:
        yield "step", f"gets token {process.token + 1}", change_process(after, at, doing=ANSWERED)
    else:
        judge = CONDEMN if model.breaks("lost_rotation without reading again") else JUDGE
        yield "step", "gets invalid_grant", change_process(after, at, doing=judge)


def answer_nobody(model: Model, state: State) -> Iterator[Step]:
    """A request whose sender is gone reaches the server, or gets lost."""
    for orphan in dict.fromkeys(state.orphans):
        rest = list(state.orphans)
        rest.remove(orphan)
        without = state._replace(orphans=tuple(rest))
        yield "step", f"the network: a request with token {orphan.token} gets lost", without
        granted, after = present(model, without, orphan.token, None)
        if granted:
            after = excuse(after, orphan.cause, orphan.token)
        words = f"the server: takes token {orphan.token}; its answer reaches nobody"
        yield "step", words if granted else f"the server: refuses token {orphan.token}", after


def present(model: Model, state: State, token: int, at: Place | None) -> tuple[bool, State]:
    """The server sees a token. Returns whether it gives a new one, and the next state."""
    if not state.alive:
        return False, state
    if token == state.current:
        return True, state._replace(current=token + 1)
    causes = {cause for cause, excused in state.causes if excused == token} - model.config.forbidden_causes
    if "rollback" in causes and at and state.machines[at[0]].seen > token:
        # E8: a machine that saw the newer token never presents the older one.
        causes.remove("rollback")
    if not causes:
        state = broken(state, f"the server saw token {token}, which was spent, and there is no cause for it")
    if model.config.lenient:
        return False, state
    return False, state._replace(alive=False)
