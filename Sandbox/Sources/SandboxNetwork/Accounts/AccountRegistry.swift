import Synchronization

/// The accounts of the sandbox, in the order of their creation.
final class AccountRegistry: Sendable {
    /// Why an account could not be made.
    enum Refusal: Error, Equatable {
        case badHandle
        case badIdentifier
        case taken
    }

    private struct State {
        var all: [Account] = []
        /// The index of each account, by DID and by handle.
        var places: [String: Int] = [:]
    }

    private let clock: SandboxClock
    private let state = Mutex(State())

    init(clock: SandboxClock) {
        self.clock = clock
    }

    var all: [Account] { state.withLock { $0.all } }

    /// Creates an account. Its DID is derived from the handle if none is given.
    @discardableResult
    func create(handle: String, password: String, did: String? = nil) throws -> Account {
        let handle = handle.lowercased()
        guard Identifiers.isHandle(handle) else { throw Refusal.badHandle }
        if let did, !Identifiers.isDID(did) { throw Refusal.badIdentifier }
        let account = Account(did: did, handle: handle, password: password, created: clock.now)
        return try state.withLock { state in
            guard state.places[handle] == nil, state.places[account.did] == nil else { throw Refusal.taken }
            state.places[handle] = state.all.endIndex
            state.places[account.did] = state.all.endIndex
            state.all.append(account)
            return account
        }
    }

    /// Changes an account. Returns `nil` when no account has this DID or handle.
    func update(_ identifier: String, _ change: (inout Account) -> Void) -> Account? {
        guard let did = find(identifier)?.did else { return nil }
        return state.withLock { state in
            guard let place = state.places[did] else { return nil }
            change(&state.all[place])
            return state.all[place]
        }
    }

    /// An account as it is now. A session has the account as it was at the login.
    func current(_ account: Account) -> Account { find(account.did) ?? account }

    /// Whether an account is active now.
    func isActive(_ account: Account) -> Bool { current(account).isActive }

    /// The account with this DID or handle.
    func find(_ identifier: String) -> Account? {
        state.withLock { state in
            let place = state.places[identifier] ?? state.places[identifier.lowercased()]
            return place.map { state.all[$0] }
        }
    }
}

/// Syntax of handles and DIDs, as far as the sandbox needs it.
enum Identifiers {
    /// `protocol:R2`.
    static func isHandle(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, labels.count >= 2, let last = labels.last else { return false }
        guard labels.allSatisfy(isLabel) else { return false }
        return last.first.map { !$0.isNumber } ?? false
    }

    static func isDID(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "did", ["plc", "web"].contains(parts[1]), text.utf8.count <= 2048
        else { return false }
        return !parts[2].isEmpty
            && parts[2].utf8.allSatisfy { $0.isASCIIAlphanumeric || ":._%-".utf8.contains($0) }
    }

    /// Whether a collection and a record key make a key of the tree (atproto.com/specs/repository).
    static func isRepositoryPath(_ collection: String, _ key: String) -> Bool {
        [collection, key].allSatisfy { part in
            !part.isEmpty && part != "." && part != ".."
                && part.utf8.allSatisfy { $0.isASCIIAlphanumeric || ".-_:~".utf8.contains($0) }
        } && collection.utf8.count + 1 + key.utf8.count <= 1024
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
        return label.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
    }
}
