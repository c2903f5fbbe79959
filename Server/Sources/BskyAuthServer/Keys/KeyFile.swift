internal import BskyAuthServerSupport
package import FoundationEssentials
internal import OAuthDPoP

/// What the keys of a file are for.
package enum KeyKind: String, CaseIterable, Sendable {
    /// Seal the sessions of apps and browsers, and the pending logins.
    case sealing
    /// Authenticate this server as an OAuth client. Their public halves are in the client metadata document.
    case client
}

/// One key of a file.
package struct StoredKey: Sendable, Codable {
    /// The public name of the key.
    package let kid: String
    /// When it was made.
    package let added: Date
    /// For sealing 32 bytes in base64url, for a client the private JWK.
    let secret: String

    static func make(_ kind: KeyKind, at now: Date) throws -> StoredKey {
        switch kind {
        case .sealing:
            let key = try ServerKey.random()
            return StoredKey(
                kid: SealingKey.kid(of: key), added: now.wholeSeconds, secret: Base64URL.encode(key.bytes))
        case .client:
            let key = try ClientKey()
            return StoredKey(kid: key.keyID, added: now.wholeSeconds, secret: key.privateKeyText())
        }
    }
}

/// The keys of one kind, in a file that only the server's user may read. The newest key is the last one.
package struct KeyFile: Sendable {
    package let kind: KeyKind
    package let path: String
    package private(set) var keys: [StoredKey]

    /// Reads the file. A file that is missing has no keys.
    package init(_ kind: KeyKind, in folder: String) throws {
        self.kind = kind
        path = "\(folder)/\(kind.rawValue)-keys.json"
        guard let bytes = try PrivateFiles.read(path) else {
            keys = []
            return
        }
        let content: Content
        do { content = try JSONDecoder().decode(Content.self, from: Data(bytes)) } catch {
            throw KeyFileError(path: path, problem: "has no keys that can be read. Restore it from a backup")
        }
        guard content.version == Content.version else {
            throw KeyFileError(
                path: path, problem: "is from a later version of bskyauth-server. Install that version")
        }
        keys = content.keys
    }

    /// Makes a key, which is the newest from then on.
    package mutating func add(at now: Date) throws -> StoredKey {
        let key = try StoredKey.make(kind, at: now)
        keys.append(key)
        return key
    }

    /// Takes the keys of all replicas, with the keys of this file that are newer than all of them.
    mutating func take(_ shared: [StoredKey]) {
        guard let newest = shared.last else { return }
        keys = shared + keys.drop { $0.kid != newest.kid }.dropFirst()
    }

    /// Removes a key. What the key sealed or signed for ends with it.
    ///
    /// - Parameters:
    ///   - age: how long the next newer key must have been there, so that nothing is of this key any more. Nil skips the check.
    package mutating func retire(_ kid: String, ifReplacedFor age: Duration?, at now: Date) throws {
        guard let index = keys.firstIndex(where: { $0.kid == kid }) else {
            throw KeyFileError(path: path, problem: "has no key \(kid). Run `bskyauth-server keys list`")
        }
        guard index + 1 < keys.count else {
            throw KeyFileError(
                path: path,
                problem:
                    "needs a newer key before \(kid) is retired. Run `bskyauth-server keys add \(kind.rawValue)`"
            )
        }
        if let age {
            let free = keys[index + 1].added + Double(age.components.seconds)
            guard now >= free else {
                throw KeyFileError(
                    path: path,
                    problem:
                        "has sessions of the key \(kid) until \(free.ISO8601Format()). Retire it then, or run "
                        + "`bskyauth-server keys retire \(kind.rawValue) \(kid) --now` to end these sessions")
            }
        }
        keys.remove(at: index)
    }

    /// Writes the file.
    package func save() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try PrivateFiles.write(Array(try encoder.encode(Content(keys: keys))) + [10], to: path)
    }

    private struct Content: Codable {
        static let version = 1
        var version = Self.version
        let keys: [StoredKey]
    }
}

/// Why a file of keys can't be used, with the next step.
package struct KeyFileError: Error, CustomStringConvertible {
    let path: String
    let problem: String

    package var description: String { "\(path) \(problem)." }
}

extension Date {
    /// The date without its fraction of a second, as files and tokens have it.
    package var wholeSeconds: Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
    }
}
