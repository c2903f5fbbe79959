internal import ATPJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A value as text that outlives the process: a JSON object with a version and the key that the value belongs to.
///
/// The private key of a ``DPoPKey`` is part of it. Other signers keep theirs, so the archive has
/// only the thumbprint.
struct Archive {
    private let members: JSONObject

    /// Reads an archive.
    ///
    /// - Throws: ``OAuthFailure/Code/unreadableArchive`` for another text, and for an archive of another version.
    init(reading text: String) throws(OAuthFailure) {
        guard let members = try? JSONParser.parse(text).object, let version = members["version"]?.integer
        else { throw OAuthFailure(.unreadableArchive, "the archive can't be read") }
        guard version == Self.version else {
            throw OAuthFailure(.unreadableArchive, "the archive has version \(version), not \(Self.version)")
        }
        self.members = members
    }

    /// The text of an archive.
    static func text(_ values: JSONObject, signer: any ProofSigner) -> String {
        var members = values
        members["version"] = JSONValue(version)
        members["thumbprint"] = .string(signer.thumbprint)
        if let key = signer as? DPoPKey { members["key"] = .string(key.privateKeyText()) }
        return JSONValue.object(members).text
    }

    /// A member that every archive has.
    func text(_ name: String) throws(OAuthFailure) -> String {
        guard let text = members[name]?.string else {
            throw OAuthFailure(.unreadableArchive, "the archive lacks \(name)")
        }
        return text
    }

    /// A member that may be missing.
    func optionalText(_ name: String) throws(OAuthFailure) -> String? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let text = value.string else {
            throw OAuthFailure(.unreadableArchive, "\(name) in the archive is no text")
        }
        return text
    }

    /// A whole number that may be missing.
    func optionalInteger(_ name: String) throws(OAuthFailure) -> Int64? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let integer = value.integer else {
            throw OAuthFailure(.unreadableArchive, "\(name) in the archive is no whole number")
        }
        return integer
    }

    /// The key that the value belongs to: the given one, or else the one in the archive.
    ///
    /// - Throws: ``OAuthFailure/Code/unreadableArchive`` for another key than the archive names, and for none.
    func signer(_ given: (any ProofSigner)?) throws(OAuthFailure) -> any ProofSigner {
        let signer: any ProofSigner
        if let given {
            signer = given
        } else if let kept = try optionalText("key") {
            signer = try key(kept)
        } else {
            throw OAuthFailure(.unreadableArchive, "the archive has no key, and none was given")
        }
        guard try signer.thumbprint == text("thumbprint") else {
            throw OAuthFailure(.unreadableArchive, "the archive is of another key")
        }
        return signer
    }

    private func key(_ text: String) throws(OAuthFailure) -> DPoPKey {
        do { return try DPoPKey(privateJWK: text) } catch {
            throw OAuthFailure(.unreadableArchive, "the key in the archive can't be used: \(error)")
        }
    }

    /// A time in whole seconds since 1970, or the nearest that a number can say.
    static func seconds(_ time: Date) -> Int64 {
        let seconds = time.timeIntervalSince1970.rounded(.down)
        return Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max)
    }

    private static let version: Int64 = 1
}
