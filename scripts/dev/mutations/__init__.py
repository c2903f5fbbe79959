"""The mutations by subject. A new one goes into the file of its subject; the order does not matter."""

from . import (
    clients, files, identity, limits, login, network, programs, records, relay, rotation, sharing, tokens, transfer,
    vault,
)

MUTATIONS = [
    mutation
    for subject in (
        login, tokens, network, identity, rotation, sharing, records, transfer, vault, files, clients, relay, programs,
        limits,
    )
    for mutation in subject.MUTATIONS
]
