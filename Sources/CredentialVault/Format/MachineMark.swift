internal import Cryptography
internal import FoundationEssentials
internal import JSON
package import Platform

/// A machine, as a vault remembers it: by a code that tells it from others in this vault and nowhere else, and
/// that its id can't be found out from.
struct MachineMark: Sendable, Hashable {
    private let code: [UInt8]

    init(_ machine: MachineID, in vault: UUID) {
        // machine-id(5): the id is the key of a hash of who asks.
        let message = Array("bskyauth vault 1 machine".utf8) + vault.bytes
        code = HMACSHA256.authenticate(key: SecretBytes(machine.bytes), message: message)
    }

    /// nil where it is none.
    init?(_ json: JSONValue) {
        guard let code = json.string.flatMap({ Base64URL.decode($0) }), code.count == 32 else { return nil }
        self.code = code
    }

    var json: JSONValue { .string(Base64URL.encode(code)) }
}

/// Which machines the vault is used on. Refresh tokens are for one use: where two copies of a vault go on
/// living, the server deletes the sessions of both.
extension CredentialVault {
    /// Whether the vault was used before, and never on this machine.
    package func comes(toAnother machine: MachineID) -> Bool {
        let mark = MachineMark(machine, in: id)
        return !machines.isEmpty && !machines.contains(mark)
    }

    /// Remembers that the vault is used on a machine. It is one of the ``VaultHeader/mostMachines`` latest.
    ///
    /// - Throws: ``VaultError/busy(holder:)`` where another process changes the header: this is not worth waiting.
    package func remember(_ machine: MachineID) throws(VaultError) {
        let mark = MachineMark(machine, in: id)
        guard !machines.contains(mark) else { return }
        try changeHeader(waiting: .zero) { content throws(VaultError) in
            guard !content.machines.contains(mark) else { return }
            content.machines = content.machines.suffix(VaultHeader.mostMachines - 1) + [mark]
        }
    }
}
