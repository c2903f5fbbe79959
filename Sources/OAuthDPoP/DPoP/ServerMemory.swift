package import ATPNetworking
internal import Synchronization

/// Nonces and clock offsets in memory, for as long as the process runs.
package final class ServerMemory: NonceStore, ServerClock {
    private struct Place: Hashable {
        let origin: Origin
        let role: ServerRole
    }

    private let nonces = Mutex<[Place: String]>([:])
    private let offsets = Mutex<[Origin: Int64]>([:])

    package init() {}

    package func nonce(for origin: Origin, role: ServerRole) -> String? {
        nonces.withLock { $0[Place(origin: origin, role: role)] }
    }

    package func remember(_ nonce: String, for origin: Origin, role: ServerRole) {
        nonces.withLock { $0[Place(origin: origin, role: role)] = nonce }
    }

    package func offset(for origin: Origin) -> Int64 { offsets.withLock { $0[origin] ?? 0 } }

    package func remember(offset: Int64, for origin: Origin) {
        offsets.withLock { $0[origin] = offset }
    }
}
