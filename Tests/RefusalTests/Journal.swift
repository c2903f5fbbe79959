import BskyAuthEndToEnd

/// What the servers saw, to be asked about.
struct Journal {
    let entries: [Sandbox.Entry]

    init(_ sandbox: Sandbox) async throws {
        entries = try await sandbox.journal()
    }

    func requests(to path: String) -> [Sandbox.Entry] {
        entries.filter { $0["path"] as? String == path }
    }

    /// Token requests with this grant, but for those that were only asked for another nonce.
    ///
    /// A fault that answers instead of the server leaves no grant in the journal.
    func grants(_ grant: String) -> [Sandbox.Entry] {
        requests(to: "/oauth/token").filter {
            ($0["grant"] as? String ?? grant) == grant && $0["error"] as? String != "use_dpop_nonce"
        }
    }

    /// Revocations that ended a session, each sent with a proof of this key.
    func revocations(provenBy key: String?) -> [Sandbox.Entry] {
        requests(to: "/oauth/revoke").filter {
            $0["session_ended"] as? Bool == true && $0["jkt"] as? String == key && key != nil
        }
    }
}

extension Sandbox.Entry {
    var key: String? { self["jkt"] as? String }
}
