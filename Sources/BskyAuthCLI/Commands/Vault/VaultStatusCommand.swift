internal import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct VaultStatusCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show where the vault is, its keys, and whether it is locked.",
        discussion: """
            Never asks for a passphrase. The state is unlocked if a command with the same options and environment \
            would not ask for one.
            """)

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let home = try context.vaultDirectory
        let summary = try CredentialVault.summary(at: home)
        let state = try state(context, home)
        return Document(
            Self.json(summary, state), text: .table(Self.table(summary, state, context.now)))
    }

    private static func table(_ summary: VaultSummary, _ state: State, _ now: Date) -> Table {
        var table = Table(header: ["path", summary.home.escapedForTerminal])
        table.append(["id", summary.id.text])
        table.append(["format", "\(summary.format)"])
        table.append(["accounts", "\(summary.accounts)"])
        for slot in summary.slots { table.append(["key", slot.words]) }
        if let sharing = summary.sharing {
            table.append(["store", sharing.store.escapedForTerminal])
            let disk = sharing.machine.isDurable ? "durable" : "ephemeral"
            table.append(["machine", "\(sharing.machine.name.escapedForTerminal) (\(disk))"])
        }
        if summary.isRekeying {
            table.append(["rekeying", "interrupted; to finish it: bskyauth vault rekey"])
        }
        table.append(["state", state.words(now)])
        return table
    }

    private enum State {
        case unlocked(by: VaultOpener.Origin)
        /// With what a key that is named for it is not good for.
        case locked(Failure?)

        func words(_ now: Date) -> String {
            switch self {
            case .unlocked(.unlockCache(let end)): "unlocked, ends \(TimeText.relative(end, to: now))"
            case .unlocked(let origin): "unlocked (\(origin.name))"
            case .locked(let failure): "locked" + (failure.map { " (\($0.message))" } ?? "")
            }
        }
    }

    private func state(_ context: CommandContext, _ home: String) throws -> State {
        do {
            guard let opened = try context.vaultOpener.openUnasked(home) else { return .locked(nil) }
            return .unlocked(by: opened.origin)
        } catch let error as any KnownError {
            let failure = ErrorPresenter.failure(for: error)
            guard failure.status == .vaultLocked else { throw failure }
            return .locked(failure)
        }
    }

    private static func json(_ summary: VaultSummary, _ state: State) -> JSONValue {
        let origin: VaultOpener.Origin?
        var error: String?
        switch state {
        case .unlocked(let found): origin = found
        case .locked(let failure):
            origin = nil
            error = failure?.code
        }
        let slots = summary.slots.map { slot -> JSONValue in
            [
                "label": .string(slot.name),
                "kind": .string(slot.kind.rawValue),
                "remembered": .bool(slot.isRemembered),
                "scrypt_n": slot.cost.map { JSONValue($0.n) } ?? .null,
            ]
        }
        return [
            "schema": "bskyauth.vault/1",
            "home": .string(summary.home),
            "id": .string(summary.id.text),
            "format": JSONValue(summary.format),
            "slots": .array(slots),
            "accounts": JSONValue(summary.accounts),
            "rekeying": .bool(summary.isRekeying),
            "store": JSONValue(summary.sharing?.store),
            "machine": JSONValue(summary.sharing?.machine.name),
            "durable": summary.sharing.map { .bool($0.machine.isDurable) } ?? .null,
            "state": origin == nil ? "locked" : "unlocked",
            "unlocked_by": JSONValue(origin?.name),
            "unlocked_until": JSONValue(origin?.end.map(TimeText.rfc3339)),
            "error": JSONValue(error),
        ]
    }
}

extension VaultSummary.Slot {
    fileprivate var words: String {
        if isRemembered { return "\(name) (remembered by the keyring of your desktop session)" }
        return name == kind.rawValue ? name : "\(name.escapedForTerminal) (\(kind.rawValue))"
    }
}

extension VaultOpener.Origin {
    /// The JSON for scripts.
    fileprivate var name: String {
        switch self {
        case .unlockCache: "unlock"
        case .source(let source): source.name
        }
    }

    /// When the unlock ends; nil if it has no end.
    fileprivate var end: Date? { if case .unlockCache(let end) = self { end } else { nil } }
}

extension VaultKeySource {
    /// The JSON for scripts.
    fileprivate var name: String {
        switch self {
        case .keyFile: "key-file"
        case .unlockCache: "unlock"
        case .desktopKeyring: "desktop-keyring"
        case .passphraseFile: "passphrase-file"
        case .passphraseCommand: "passphrase-command"
        case .passphraseVariable: "passphrase-variable"
        case .terminal: "terminal"
        }
    }
}
