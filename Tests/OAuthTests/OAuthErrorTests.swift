import Covers
import Cryptography
import Foundation
import JSON
import Networking
import OAuth
import TestSupport
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

    @Test("knows that a token is spent only from a parsed invalid_grant")
    func invalidGrant() {
        #expect(response(400, "invalid_grant").refreshVerdict == .invalidGrant)
        #expect(response(401, "invalid_grant").refreshVerdict == .invalidGrant)
        #expect(response(400, nil, "invalid_grant").refreshVerdict == .unexplained)
        #expect(response(400, "Invalid_grant").refreshVerdict == .refused)
        #expect(response(403, "invalid_grant").refreshVerdict == .refused)
        #expect(response(500, "invalid_grant").refreshVerdict == .unanswered)
        #expect(response(200, "invalid_grant").refreshVerdict == .unanswered)
    }

    @Test("takes other refusals for refusals", arguments: [400, 401, 403, 404, 415, 425])
    func refused(status: Int) {
        #expect(response(status, "invalid_client").refreshVerdict == .refused)
        #expect(response(status, nil).refreshVerdict == .refused)
    }

    @Test("does not take a server that won't look at the token for one that refuses it", .covers("R65"))
    func notNow() {
        #expect(response(429, nil).refreshVerdict == .notNow)
        #expect(response(401, "invalid_dpop_proof").refreshVerdict == .notNow)
        #expect(response(400, "use_dpop_nonce").refreshVerdict == .notNow)
    }

    @Test("takes everything else for no answer", .covers("13.11"), arguments: [302, 408, 500, 502, 503, 504])
    func unanswered(status: Int) {
        #expect(response(status, nil).refreshVerdict == .unanswered)
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
        #expect(verdict(.nonceRefused) == .notNow)
        #expect(verdict(.malformedResponse(status: 200)) == .unanswered)
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
