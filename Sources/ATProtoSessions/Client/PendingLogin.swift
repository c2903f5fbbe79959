internal import ATPJSON
public import ATPNetworking
internal import ATProtoIdentity
public import OAuthDPoP

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A login that waits for the person. It works for one redirect.
public struct PendingLogin: Sendable, CustomStringConvertible, CustomReflectable {
    let authorization: PendingAuthorization
    let expected: ExpectedAccount
    let label: String?

    init(_ authorization: PendingAuthorization, for expected: ExpectedAccount, label: String?) {
        self.authorization = authorization
        self.expected = expected
        self.label = label
    }

    /// The page for the person's browser.
    public var url: HTTPURL { authorization.url }

    /// When the server forgets the request, by the clock of this machine (RFC 9126 §2.2).
    public var expiry: Date { authorization.expiry }

    /// The `state` that the redirect repeats. A server can find the login by it. Everybody who sees the redirect knows it, so
    /// complete the login only for the browser or the app that began it.
    public var state: String { authorization.state.value }

    /// The authorization server, without any secret.
    public var description: String { "a login at \(authorization.issuer)" }

    /// Has no children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PendingLogin {
    /// The login as text, so that another request or process can complete it. It holds secrets, the private key of a
    /// `DPoPKey` among them. Other signers keep their key, and the archive names only its thumbprint.
    public var archive: String {
        JSONValue.object([
            "version": JSONValue(Self.version), "authorization": .string(authorization.archive),
            "did": JSONValue(expected.did?.description), "handle": JSONValue(expected.doubted?.description),
            "label": JSONValue(label),
        ]).text
    }

    /// Reads ``archive``.
    ///
    /// - Parameters:
    ///   - archive: the text of ``archive``.
    ///   - signer: the key of the session if it is not a `DPoPKey`.
    /// - Throws: ``ATProtoFailure/Code/unreadableArchive`` for another text or version, and for another key.
    public init(archive: String, signer: (any ProofSigner)? = nil) throws(ATProtoFailure) {
        let unreadable = ATProtoFailure(.unreadableArchive, "the archive of a login can't be read")
        guard let json = try? JSONParser.parse(archive), json["version"]?.integer == Self.version,
            let authorization = json["authorization"]?.string
        else { throw unreadable }
        do {
            let reader = RecordReader(json)
            self.init(
                try PendingAuthorization(archive: authorization, signer: signer),
                for: ExpectedAccount(
                    did: try reader.optional("did") { try? DID(validating: $0) },
                    doubted: try reader.optional("handle") { try? ATProtoIdentity.Handle(validating: $0) }),
                label: try reader.optional("label") { $0 })
        } catch let error as OAuthFailure {
            throw ATProtoFailure(.unreadableArchive, error.description)
        } catch {
            throw unreadable
        }
    }

    private static let version: Int64 = 1
}
