import ATPCryptography
import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@Suite("OAuthError") struct OAuthErrorTests {
    private func response(
        _ status: Int, _ error: String?, _ description: String? = nil,
        endpoint: OAuthError.Endpoint = .refresh
    ) -> OAuthError {
        OAuthError(
            .response(OAuthErrorResponse(status: status, error: error, description: description)),
            endpoint: endpoint)
    }

    private func sent(_ body: String) -> OAuthError {
        let response = OAuthErrorResponse(status: 400, headerFields: [:], body: Array(body.utf8))
        return OAuthError(.response(response), endpoint: .refresh)
    }

    @Test("knows that a token is spent only from a parsed invalid_grant")
    func invalidGrant() {
        #expect(response(400, "invalid_grant").refreshVerdict == .invalidGrant)
        #expect(response(401, "invalid_grant").refreshVerdict == .invalidGrant)
        #expect(response(400, nil, "invalid_grant").refreshVerdict == notNow(400))
        #expect(sent(#"{"error":"the grant is over"}"#).refreshVerdict == .unexplained)
        #expect(sent(#"{"message":"Bad Request"}"#).refreshVerdict == notNow(400))
        #expect(sent("Bad Request").refreshVerdict == notNow(400))
        #expect(response(400, "Invalid_grant").refreshVerdict == .refused)
        #expect(response(403, "invalid_grant").refreshVerdict == notNow(403))
        #expect(response(500, "invalid_grant").refreshVerdict == failed(500))
        #expect(response(200, "invalid_grant").refreshVerdict == failed(200))
    }

    private func notNow(_ status: Int) -> OAuthError.RefreshVerdict {
        .notNow(OAuthError.InconclusiveAnswer(status: status))
    }

    private func failed(_ status: Int) -> OAuthError.RefreshVerdict {
        .failed(OAuthError.InconclusiveAnswer(status: status))
    }

    @Test("takes another OAuth error for a refusal", arguments: [400, 401])
    func refused(status: Int) {
        #expect(response(status, "invalid_request").refreshVerdict == .refused)
    }

    @Test(
        "does not take an answer without an OAuth error for a refusal", arguments: [401, 403, 404, 415, 425])
    func page(status: Int) {
        #expect(response(status, nil).refreshVerdict == notNow(status))
        #expect(response(status, nil, "Forbidden").refreshVerdict == notNow(status))
    }

    @Test(
        "does not take a server that won't look at the token for one that refuses it", .covers("R65"),
        arguments: [
            "invalid_dpop_proof", "use_dpop_nonce", "temporarily_unavailable", "server_error", "slow_down",
        ])
    func others(code: String) {
        for status in [400, 401, 403, 429] {
            #expect(response(status, code).refreshVerdict == notNow(status))
        }
    }

    @Test(
        "takes an answer about the client for none about the token", .covers("R80"),
        arguments: [
            ("invalid_client", nil), ("invalid_client_metadata", "Failed to fetch"),
            ("unauthorized_client", nil), ("invalid_request", "client_assertion is required"),
            ("invalid_grant", "JWT assertion jti reused"), ("invalid_grant", "Client credentials missing"),
            ("invalid_grant", "The grant type is not allowed for this client"),
            ("invalid_redirect_uri", nil),
        ] as [(String, String?)])
    func client(code: String, words: String?) {
        for status in [400, 401] {
            #expect(
                response(status, code, words).refreshVerdict
                    == .clientRefused(OAuthError.InconclusiveAnswer(status: status)))
        }
    }

    @Test(
        "takes cocoon's sentences about the client for none about the token", .covers("R80"),
        arguments: [
            "no key with kid abc found", "could not parse client assertion",
            "failed to fetch client metadata",
        ])
    func sentence(words: String) {
        let body = Array(#"{"error":"\#(words)"}"#.utf8)
        let response = OAuthErrorResponse(status: 400, headerFields: [:], body: body)
        #expect(
            OAuthError(.response(response), endpoint: .refresh).refreshVerdict
                == .clientRefused(OAuthError.InconclusiveAnswer(status: 400)))
    }

    @Test("takes any other invalid_grant for the end of the session", .covers("R80"))
    func otherKey() {
        let words = "The session was initiated with a different key"
        #expect(response(400, "invalid_grant", words).refreshVerdict == .invalidGrant)
    }

    @Test(
        "does not know what became of the token where a server failed", .covers("13.11"),
        arguments: [302, 408, 500, 502, 503, 504])
    func failure(status: Int) {
        #expect(response(status, nil).refreshVerdict == failed(status))
    }

    @Test("keeps the seconds of Retry-After") func retryAfter() {
        let answer = OAuthErrorResponse(status: 503, headerFields: [.retryAfter: "30"], body: [])
        #expect(
            OAuthError(.response(answer), endpoint: .refresh).refreshVerdict
                == .failed(OAuthError.InconclusiveAnswer(status: 503, retryAfter: 30)))
    }

    @Test("knows when the server can't have seen the token", .covers("R65"))
    func other() {
        func verdict(_ code: OAuthError.Code) -> OAuthError.RefreshVerdict {
            OAuthError(code, endpoint: .refresh).refreshVerdict
        }
        #expect(verdict(.transport(TransportError(.notConnected, requestWasSent: false))) == .nothingSent)
        #expect(verdict(.transport(TransportError(.timedOut, requestWasSent: true))) == .unanswered)
        #expect(verdict(.transport(TransportError(.tooLarge(limit: 1), requestWasSent: true))) == .unanswered)
        #expect(verdict(.cryptography(.operationFailed("ES256"))) == .nothingSent)
        #expect(verdict(.nonceRefused) == notNow(401))
        #expect(verdict(.malformedResponse(status: 200)) == failed(200))
        let tokens = UnreadableTokens(status: 200, Array("{}".utf8))
        #expect(verdict(.unreadableTokens(tokens)) == .unreadable(tokens))
    }

    @Test(
        "sees a redirect URI behind these refusals of a pushed request", .covers("L6", "13.11"),
        arguments: [
            ("invalid_request", nil), ("invalid_redirect_uri", nil), ("invalid_client_metadata", nil),
            ("invalid_client", nil), (nil, "Redirect URI not allowed"),
            ("InvalidRequest", "bad redirect_uri"),
        ] as [(String?, String?)])
    func refusesRedirect(error: String?, description: String?) {
        let error = response(400, error, description, endpoint: .pushedAuthorizationRequest)
        #expect(error.refusesRedirectURI)
    }

    @Test("sees none behind others")
    func otherRefusals() {
        let par = OAuthError.Endpoint.pushedAuthorizationRequest
        #expect(!response(400, "invalid_scope", "redirect", endpoint: par).refusesRedirectURI)
        #expect(!response(400, nil, "no such account", endpoint: par).refusesRedirectURI)
        #expect(!response(400, nil, endpoint: par).refusesRedirectURI)
        #expect(!response(401, "invalid_request", endpoint: par).refusesRedirectURI)
        #expect(!response(500, "invalid_request", endpoint: par).refusesRedirectURI)
        #expect(!response(400, "invalid_request", endpoint: .token).refusesRedirectURI)
        #expect(!OAuthError(.nonceRefused, endpoint: par).refusesRedirectURI)
    }
}
