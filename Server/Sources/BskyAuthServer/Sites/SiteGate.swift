internal import ATProtoIdentity
internal import FoundationEssentials
internal import Hummingbird

/// Decides who may open the protected sites.
///
/// A login for them shows who the person is, and no more: its OAuth session is ended at once. The session here has an entry that
/// stands for no account of the vault, so that it is found and ended with the person's other sessions.
struct SiteGate: Sendable {
    let settings: SiteSettings
    /// The sessions of the sites, which are never refreshed: proxies don't pass on a cookie of the answer.
    let sessions: Sessions
    let handles: VerifiedHandles

    /// Somebody who is logged in.
    struct Person: Sendable {
        let did: String
        /// The handle, if it was verified within the hour.
        let handle: Handle?

        var name: String { handle.map { "@\($0)" } ?? did }
    }

    /// The session of a request; nil if it has none that is good. Only the sites' own cookie counts.
    func find(_ request: Request) async throws -> SessionBook.Found? {
        guard let token = ServerCookie.site.value(in: request) else { return nil }
        do {
            let found = try await sessions.open(token)
            return found.session.app == RegisteredApp.sites ? found : nil
        } catch is Problem {
            return nil
        }
    }

    /// Who has sent a request; nil if nobody is logged in.
    func person(_ request: Request) async throws -> Person? {
        guard let did = try await find(request)?.session.activeEntry?.did else { return nil }
        let handle: Handle? = if let did = DID(did) { await handles.handle(of: did) } else { nil }
        return Person(did: did, handle: handle)
    }

    /// Whether somebody may open the sites, by the list as it is now.
    ///
    /// - Throws: ``MembersError`` if the list can't be read.
    func admits(_ person: Person) throws -> Bool { try Members(file: settings.members).contains(person) }

    /// Begins a session for somebody who has logged in, and ends the one that the browser had.
    func begin(_ did: String, replacing request: Request) async throws -> Sessions.Grant {
        try await end(request)
        return try await sessions.begin(
            AppSession.Entry(id: UUID(), did: did), in: RegisteredApp.sites, adding: nil)
    }

    /// Ends the session of a request, if it has one.
    ///
    /// - Returns: the session that has ended; nil if there was none.
    @discardableResult
    func end(_ request: Request) async throws -> SessionBook.Found? {
        guard let found = try await find(request) else { return nil }
        try await sessions.logOutAll(of: found)
        return found
    }
}
