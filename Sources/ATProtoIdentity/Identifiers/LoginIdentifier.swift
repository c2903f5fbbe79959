package import ATPNetworking

/// The user's input for a login: a handle, a DID or a server (atproto OAuth: identity authentication; protocol:R1).
package enum LoginIdentifier: Sendable, Hashable, CustomStringConvertible {
    case handle(Handle)
    case did(DID)
    /// A PDS or an entryway. ``NetworkPolicy`` decides whether it may be contacted.
    case server(Origin)

    /// Reads typed or pasted text. Removes white space and invisible characters at both ends, and a leading `@` or
    /// `at://`. The address of a page of bsky.app stands for the account of the page.
    package init(parsing text: String) throws(InvalidLoginIdentifier) {
        let scalars = text.unicodeScalars.drop(while: Self.isSurrounding)
        let bare = String(
            String.UnicodeScalarView(scalars.reversed().drop(while: Self.isSurrounding).reversed()))
        guard !bare.isEmpty else { throw .empty }
        let start = bare.prefix(8).lowercased()
        if start == "https://" || start.hasPrefix("http://") {
            if let page = try? RecordReference(parsing: bare) {
                self.init(page.repo)
            } else {
                self = .server(try Self.server(bare))
            }
            return
        }
        let prefix = start.hasPrefix("at://") ? 5 : start.hasPrefix("@") ? 1 : 0
        let name = bare.dropFirst(prefix)
        do { self.init(try ATIdentifier(validating: name)) } catch { throw .account(error) }
    }

    private init(_ account: ATIdentifier) {
        switch account {
        case .handle(let handle): self = .handle(handle)
        case .did(let did): self = .did(did)
        }
    }

    /// The handle, the DID, or the origin of the server.
    package var description: String {
        switch self {
        case .handle(let handle): handle.description
        case .did(let did): did.description
        case .server(let origin): origin.description
        }
    }

    private static func server(_ text: String) throws(InvalidLoginIdentifier) -> Origin {
        let url: HTTPURL
        do { url = try HTTPURL(validating: text) } catch { throw .url(error) }
        guard url.path == "/", url.query == nil else { throw .notAnOrigin }
        return url.origin
    }

    private static func isSurrounding(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
    }
}

/// Why a text is not a login identifier.
package enum InvalidLoginIdentifier: Error, Sendable, Hashable {
    case empty
    case account(InvalidATIdentifier)
    case url(InvalidURL)
    /// A URL with a path or query that is not the page of an account.
    case notAnOrigin
}
