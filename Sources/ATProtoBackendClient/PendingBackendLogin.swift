internal import ATPJSON
internal import ATProtoSessions
internal import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A login that waits for its redirect.
struct PendingBackendLogin: Sendable {
    /// Its challenge binds the code of the redirect to this login (RFC 7636 §4.6).
    let verifier: CodeVerifier
    /// The session that the account is added to; nil for a new one.
    let adding: UUID?

    /// Whether it is the same login.
    func isSame(as other: PendingBackendLogin) -> Bool { verifier.value == other.verifier.value }
}

extension PendingBackendLogin {
    /// The login as text, to store it. It holds a secret.
    var archive: String {
        JSONValue.object([
            "version": 1, "verifier": .string(verifier.value),
            "adding": JSONValue(adding?.text),
        ]).text
    }

    /// Reads ``archive``.
    init(archive: String) throws(UnreadableRecord) {
        let reader = try RecordReader(archive)
        self.init(
            verifier: CodeVerifier(value: try reader.value("verifier") { $0 }),
            adding: try reader.optional("adding") { UUID(uuidString: $0) })
    }
}
