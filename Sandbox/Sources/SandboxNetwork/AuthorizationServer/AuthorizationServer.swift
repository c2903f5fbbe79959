/// The OAuth authorization server: metadata, PAR, pages, tokens, revocation.
///
/// It answers as `@atproto/oauth-provider` 0.22.3 did when it was recorded. Numbers in comments are cases in
/// `Tests/Fixtures/transcripts`.
struct AuthorizationServer: Sendable {
    let origins: Origins
    let clock: SandboxClock
    let accounts: AccountRegistry
    let clients: ClientRegistry
    let state: AuthorizationState
    let signer: AccessTokenSigner
    let proofs: DPoPVerifier
    let assertions: ClientAssertionVerifier
    let approvesUnasked: Bool
    let profile: ServerProfile

    var issuer: String { origins[.authorizationServer] }

    func answer(_ exchange: Exchange) async -> Answer {
        if exchange.isPreflight, Self.crossOriginPaths.contains(exchange.path) {
            return Answer(status: 204, headers: Self.crossOrigin)
        }
        switch (exchange.routedMethod, exchange.path) {
        case ("GET", "/.well-known/oauth-authorization-server"):
            return .json(metadata, headers: Self.cacheable)
        case ("GET", "/oauth/jwks"):
            let keys = profile.documents.publishesKeys ? signer.jwks : ["keys": []]
            return .json(keys, headers: Self.cacheable)
        case ("POST", "/oauth/par"):
            return await guarded(exchange, push)
        case ("POST", "/oauth/token"):
            return await guarded(exchange, token)
        case (_, "/oauth/par"), (_, "/oauth/token"):
            if let words = profile.authorizationWords[.wrongVerb] { return words.answer(about: "") }
            return exchange.path == "/oauth/par"
                ? Answer(status: 405) : .notFound(exchange.method, exchange.path)
        case ("POST", "/oauth/revoke") where profile.revocation != .missing:
            return await guarded(exchange, revoke)
        case ("GET", "/oauth/authorize"):
            return await authorize(exchange)
        case ("POST", "/oauth/authorize/sign-in"):
            return await signIn(exchange)
        case ("POST", "/oauth/authorize/consent"):
            return await consent(exchange)
        default:
            return .notFound(exchange.method, exchange.path)
        }
    }

    /// Runs a back-channel endpoint. Errors become answers, and each answer carries a nonce.
    private func guarded(
        _ exchange: Exchange,
        _ endpoint: (Exchange) async throws(OAuthFailure) -> Answer
    ) async -> Answer {
        var answer: Answer
        do throws(OAuthFailure) {
            answer = try await endpoint(exchange)
        } catch {
            answer = error.answer(in: profile)
            if answer.isCrash { return answer }
        }
        if let nonce = proofs.nonces.next {
            answer.headers["dpop-nonce"] = nonce
            answer.headers.add("access-control-expose-headers", "DPoP-Nonce")
        }
        if answer.headers["www-authenticate"] != nil {
            answer.headers.add("access-control-expose-headers", "WWW-Authenticate")
        }
        answer.headers["cache-control"] = "no-store"
        answer.headers["pragma"] = "no-cache"
        answer.headers.merge(Self.crossOrigin)
        return answer
    }

    /// The endpoints that scripts of other origins may call.
    private static let crossOriginPaths: Set = [
        "/.well-known/oauth-authorization-server", "/oauth/jwks", "/oauth/par", "/oauth/token",
        "/oauth/revoke",
    ]

    /// Headers of every document and back-channel answer in the recordings.
    private static let crossOrigin: HeaderList = [
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "*",
        "access-control-allow-headers": "Content-Type,DPoP",
        "access-control-max-age": "86400",
    ]

    /// The same, for the documents (`protocol:R25`).
    private static var cacheable: HeaderList {
        var headers = crossOrigin
        headers["cache-control"] = "max-age=300"
        return headers
    }
}
