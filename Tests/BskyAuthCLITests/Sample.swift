import ATPNetworking
import ATProtoIdentity
import ATProtoOAuth
import ATProtoSessions
import Foundation
import OAuthDPoP

@testable import BskyAuthCLI
@testable import BskyAuthCore

/// Ours, and not what exit tests call so.
typealias ExitStatus = BskyAuthCLI.ExitStatus

/// An account to talk about.
enum Sample {
    static let did = "did:plc:rx3iezovljgx6w3o4vtr5bae"
    static let pds = "https://pds.example.com"

    static func account(
        handle: String? = "alice.example.com", label: String? = nil, devNetwork: Origin? = nil
    ) throws -> Account {
        Account(
            id: UUID(), did: try DID(validating: did),
            handle: try handle.map { try Handle(validating: $0) }, label: label,
            pds: Origin(scheme: .https, host: "pds.example.com"),
            devNetwork: devNetwork,
            addedAt: Date(timeIntervalSince1970: 1_795_212_231))
    }

    static func session(
        client: String = "http://localhost", scope: String = "atproto", requestedScope: String? = nil,
        isConfidential: Bool = false
    ) throws -> Session {
        let issuer = try Issuer(validating: pds, profile: .atproto, policy: NetworkPolicy())
        return session(
            .oauth(
                OAuthCredential(
                    issuer: issuer,
                    client: Client(
                        ClientID(client), authentication: isConfidential ? .privateKeyJWT(keyID: "k") : .none),
                    key: try DPoPKey())),
            scope, requestedScope)
    }

    static func passwordSession() throws -> Session {
        session(.password(service: Origin(scheme: .https, host: "pds.example.com")), "")
    }

    private static func session(
        _ credential: SessionCredential, _ scope: String, _ requestedScope: String? = nil
    ) -> Session {
        let now = Date(timeIntervalSince1970: 1_795_212_231)
        return Session(
            credential: credential, createdAt: now, accessToken: AccessToken("s3cret-access"),
            refreshToken: RefreshToken("s3cret-refresh"), accessExpiresAt: now.addingTimeInterval(3600),
            obtainedAt: now, scope: Scope(scope), requestedScope: requestedScope)
    }
}
