internal import Foundation

/// A line of the sandbox's journal: one request as the servers saw it.
package struct JournalRequest: Decodable, Sendable {
    package struct Proof: Decodable, Sendable {
        package struct Header: Decodable, Sendable {
            package let typ: String
            package let alg: String
        }

        package struct Payload: Decodable, Sendable {
            package let jti: String
            package let htm: String
            package let htu: String
            package let iat: Int
            package let nonce: String?
            package let ath: String?
        }

        package let header: Header
        package let payload: Payload
    }

    package let time: String
    package let role: String
    package let method: String
    package let path: String
    package let query: String?
    package let status: Int?
    package let error: String?
    /// `oauth` or `bearer`; nil for a request that was not authorized.
    package let auth: String?
    package let proof: Proof?
    package let jkt: String?
    package let athOk: Bool?
    package let account: String?
    package let clientId: String?
    package let grant: String?
    package let consumed: Bool
    package let sessionEnded: Bool

    /// Whether the request has to carry a proof: the back channel, and the methods that act as an account.
    package var isAuthenticated: Bool {
        switch role {
        case "as": method == "POST" && ["/oauth/par", "/oauth/token", "/oauth/revoke"].contains(path)
        case "pds": path.hasPrefix("/xrpc/") && path != "/xrpc/com.atproto.identity.resolveHandle"
        default: false
        }
    }

    /// Whether the server only asked for another nonce.
    package var isNonceChallenge: Bool { error == "use_dpop_nonce" }

    /// Whether the server refused the proof for its date only. Processes share what they know of the server's clock
    /// without a lock, so one of them may not know yet that the clock went on.
    package var isClockChallenge: Bool {
        guard error == "invalid_dpop_proof", let proof, let seconds else { return false }
        return abs(seconds - Double(proof.payload.iat)) > 180
    }

    /// A refresh at the token endpoint, whatever its answer.
    package var isRefresh: Bool { path == "/oauth/token" && grant == "refresh_token" }

    /// The request in a word or two, for counting: `GET /xrpc/com.atproto.server.getSession`.
    package var line: String { "\(method) \(path)" }

    /// When it arrived, in seconds since 1970 by the sandbox's clock.
    package var seconds: Double? {
        (try? Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))?
            .timeIntervalSince1970
    }
}

extension Sandbox {
    /// Every request since the last reset, in order, with its members typed.
    package func requests() async throws -> [JournalRequest] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let text = String(decoding: try await get("/_sandbox/journal"), as: UTF8.self)
        return try text.split(separator: "\n").map {
            try decoder.decode(JournalRequest.self, from: Data($0.utf8))
        }
    }

    /// The requests that some steps make, and no others.
    package func requests(
        during steps: () async throws -> Void
    ) async throws -> [JournalRequest] {
        try await resetJournal()
        try await steps()
        return try await requests()
    }

    /// Waits until the journal has such a request.
    package func waitForRequest(_ isMeant: (JournalRequest) -> Bool) async throws {
        while try await !requests().contains(where: isMeant) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
