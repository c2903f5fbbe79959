/// The logins for the sites that a browser has. It has several if another site of the domain has set the cookie, too, or if the setting
/// `cookie_domain` was another one before.
struct SiteLogins: Sendable {
    /// The good sessions, the newest first.
    let sessions: [SessionBook.Found]
    /// Whether every cookie was looked at. If not, the browser may have other logins.
    let areAll: Bool

    /// The most cookies that are looked at.
    static let most = 4

    /// - Parameter sessions: the good sessions, in any order.
    init(_ sessions: [SessionBook.Found], areAll: Bool) {
        self.sessions = sessions.sorted { $0.session.created > $1.session.created }
        self.areAll = areAll
    }

    /// The DIDs of those who are logged in, each once.
    var people: [String] {
        sessions.compactMap(\.session.activeEntry?.did).reduce(into: []) { people, did in
            if !people.contains(did) { people.append(did) }
        }
    }

    /// The DID of the one person who is logged in. Nil if there are several: a site of the domain may have set the cookie of somebody
    /// else, in whose name a person would act without knowing it.
    var person: String? { areAll && people.count == 1 ? people.first : nil }

    /// Why no login counts, for the person; nil if one counts or there is none.
    func problem(in domain: String) -> String? {
        if !areAll {
            return
                "This browser has more than \(Self.most) logins for these sites, so none of them counts. Delete the cookies of "
                + "\(domain) in this browser, then log in again."
        }
        return people.count > 1
            ? "This browser has logins of several people for these sites, so none of them counts. Log in again: this ends the others."
            : nil
    }
}
