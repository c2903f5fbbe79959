import ATPJSON
import ATPNetworking
import ATProtoCurl
import ATProtoIdentity
import ATProtoSessions
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import Testing

/// A server that logs an account in, and the browser of this machine.
struct World {
    static let did = "did:plc:rx3iezovljgx6w3o4vtr5bae"
    static let pds = "https://pds.example.com"
    static let token = "\(pds)/oauth/token"
    static let tokens = ScriptedTransport.Answer.json([
        "access_token": "access", "refresh_token": "refresh", "token_type": "DPoP", "sub": .string(did),
        "scope": "atproto", "expires_in": 3600,
    ])

    let network: ScriptedTransport

    init() throws {
        network = ScriptedTransport([
            "https://plc.directory/did%3Aplc%3Arx3iezovljgx6w3o4vtr5bae": try Transcript.answer(
                "004-plc-did-document"),
            "\(Self.pds)/.well-known/oauth-protected-resource": try Transcript.answer(
                "001-protected-resource-metadata"),
            "\(Self.pds)/.well-known/oauth-authorization-server": try Transcript.answer(
                "002-authorization-server-metadata"),
            "\(Self.pds)/oauth/par": .json(
                ["request_uri": "urn:ietf:params:oauth:request_uri:r", "expires_in": 300], status: 201),
            Self.token: Self.tokens,
            "\(Self.pds)/oauth/revoke": .json([:]),
        ])
    }

    func client(
        _ redirectURI: String = "http://127.0.0.1/callback", clock: any WallClock = SystemClock()
    ) -> ATProtoClient {
        ATProtoClient(
            as: .loopback(redirectURI: redirectURI, scope: "atproto"), store: StoredSessions(MemoryStorage()),
            transport: network, identities: NetworkIdentities(transport: network, textRecords: nil),
            clock: clock)
    }

    /// A parameter of the newest authorization request.
    func sent(_ name: String) throws -> String {
        try #require(network.requests(to: "\(Self.pds)/oauth/par").last?.form?.single(name))
    }

    /// Where the server sends the browser.
    func redirect(_ result: String = "code=c") throws -> String {
        "\(try sent("redirect_uri"))?\(result)&state=\(try sent("state"))&iss=\(Self.pds)"
    }

    /// Opens an address in the browser.
    ///
    /// - Returns: the status of the page.
    func visit(_ address: String) async throws -> Int {
        let url = try HTTPURL(validating: address)
        let transport = CurlTransport(policy: NetworkPolicy(devNetwork: url.origin), userAgent: "test")
        return try await transport.send(TransportRequest(method: .get, url: url)).status
    }

    /// Whether the port of the newest login is closed.
    func isClosed() async throws -> Bool {
        do { _ = try await visit(try sent("redirect_uri")) } catch let error as TransportError {
            return !error.requestWasSent
        }
        return false
    }
}

/// A clock whose waits are over at once.
struct HastyClock: WallClock {
    var now: Date { Date() }
    func sleep(until date: Date) async throws {}
}
