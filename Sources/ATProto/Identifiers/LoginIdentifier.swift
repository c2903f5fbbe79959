package import Networking

/// What a person types to say where to log in: a handle, a DID or a server (atproto OAuth: identity
/// authentication; protocol:R1).
package enum LoginIdentifier: Sendable, Hashable, CustomStringConvertible {
    case handle(Handle)
    case did(DID)
    /// A PDS or an entryway. Whether it may be asked is ``NetworkPolicy``'s to say.
    case server(Origin)

    /// Reads what was typed or pasted: white space and the invisible marks that apps copy along are taken
    /// off, and so is a leading `@` or `at://`.
    package init(parsing text: String) throws(InvalidLoginIdentifier) {
        let scalars = text.unicodeScalars.drop(while: Self.isSurrounding)
        let bare = String(
            String.UnicodeScalarView(scalars.reversed().drop(while: Self.isSurrounding).reversed()))
        guard !bare.isEmpty else { throw .empty }
        let start = bare.prefix(8).lowercased()
        if start == "https://" || start.hasPrefix("http://") {
            self = .server(try Self.server(bare))
            return
        }
        let prefix = start.hasPrefix("at://") ? 5 : start.hasPrefix("@") ? 1 : 0
        let name = bare.dropFirst(prefix)
        do throws(InvalidATIdentifier) {
            switch try ATIdentifier(validating: name) {
            case .handle(let handle): self = .handle(handle)
            case .did(let did): self = .did(did)
            }
        } catch {
            throw .account(error)
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

/// Why a text is nothing to log in with.
package enum InvalidLoginIdentifier: Error, Sendable, Hashable {
    case empty
    case account(InvalidATIdentifier)
    case url(InvalidURL)
    /// A URL with a path or query, as of a profile page.
    case notAnOrigin
}
