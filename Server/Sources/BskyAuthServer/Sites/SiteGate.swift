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

    /// The logins of a request. Only the sites' own cookie counts.
    func logins(_ request: Request) async throws -> SiteLogins {
        var tokens: [String] = []
        for token in ServerCookie.site.values(in: request) where !tokens.contains(token) {
            tokens.append(token)
        }
        var found: [SessionBook.Found] = []
        for token in tokens.prefix(SiteLogins.most) {
            do {
                let session = try await sessions.open(token)
                if session.session.app == RegisteredApp.sites { found.append(session) }
            } catch is Problem {
                continue
            }
        }
        return SiteLogins(found, areAll: tokens.count <= SiteLogins.most)
    }

    /// Who has sent a request; nil without a login, or if that is not certain.
    func person(_ request: Request) async throws -> Person? {
        guard let did = try await logins(request).person else { return nil }
        return await person(did)
    }

    /// A person with a DID.
    func person(_ did: String) async -> Person {
        let handle: Handle? = if let did = DID(did) { await handles.handle(of: did) } else { nil }
        return Person(did: did, handle: handle)
    }

    /// Whether somebody may open the sites, by the list as it is now.
    ///
    /// - Throws: ``MembersError`` if the list can't be read.
    func admits(_ person: Person) throws -> Bool { try Members(file: settings.members).contains(person) }

    /// Begins a session for somebody who has logged in, and ends those that the browser had.
    func begin(_ did: String, replacing request: Request) async throws -> Sessions.Grant {
        for found in try await logins(request).sessions { try await sessions.logOutAll(of: found) }
        return try await sessions.begin(
            AppSession.Entry(id: UUID(), did: did), in: RegisteredApp.sites, adding: nil)
    }
}
