"""Tokens: their answers and the proofs that they are used with."""

from .mutation import Mutation

MUTATIONS = [
    Mutation(
        "any token type is accepted",
        "OAuthDPoPTests.TokenResponseTests",
        'guard tokenType.lowercased() == "dpop" else {',
        "guard !tokenType.isEmpty else {",
    ),
    Mutation(
        "a scope without atproto is accepted",
        "OAuthDPoPTests.TokenResponseTests",
        "guard scope.contains(required) else { throw .scopeWithout(required) }",
        "_ = (scope, required)",
    ),
    Mutation(
        "a proof has no hash of the access token",
        "OAuthDPoPTests.DPoPProofTests",
        'if let accessToken { claims["ath"] = .string(accessToken.fingerprint) }',
        "_ = accessToken",
    ),
    Mutation(
        "a proof's URL has the query",
        "OAuthDPoPTests.DPoPProofTests",
        '"htu": .string(url.withoutQuery),',
        '"htu": .string(url.description),',
    ),
    Mutation(
        "every proof has the same identifier",
        "OAuthDPoPTests.DPoPProofTests",
        '"jti": .string(Base64URL.encode(try RandomBytes.generate(16))),\n'
        '            "htm"',
        '"jti": .string(Base64URL.encode([UInt8](repeating: 7, count: 16))),\n'
        '            "htm"',
    ),
    Mutation(
        "a proof's date is in the future",
        "OAuthDPoPTests.ServerTimeTests",
        "private static let backdating: Int64 = 5",
        "private static let backdating: Int64 = -5",
    ),
    Mutation(
        "a request is retried for every new nonce",
        "OAuthDPoPTests.AuthorizationServerRequestTests",
        "guard !hasAnsweredNonce, suppliedNonce != nil else {",
        "guard suppliedNonce != nil else {",
    ),
    Mutation(
        "a nonce without the error code is a challenge",
        "OAuthDPoPTests.AuthorizationServerRequestTests",
        '        case "use_dpop_nonce": self = .nonce\n'
        '        case "invalid_dpop_proof", Self.vague: self = .invalidProof\n'
        '        case "invalid_client": self = .invalidClient\n'
        "        default: return nil",
        '        case "invalid_dpop_proof", Self.vague: self = .invalidProof\n'
        '        case "invalid_client": self = .invalidClient\n'
        "        default: self = .nonce",
    ),
    Mutation(
        "a revocation has no proof",
        "OAuthDPoPTests.AuthorizationServerTests",
        "do { request.headerFields.dpopProof = try await proof(issuedAt: issueTime) }",
        "do { if endpoint != .revocation { request.headerFields.dpopProof = try await proof(issuedAt: issueTime) } }",
    ),
    Mutation(
        "proofs are made for any server",
        "BskyAuthCoreTests.HeadersTests",
        "guard url.origin == audience.pds else { throw CoreError.foreignAudience(audience, url.origin) }",
        "",
        "guard url.origin == account.pds else { throw CoreError.foreignAudience(account, url.origin) }",
        "",
    ),
    Mutation(
        "a private key is not compared with its public key",
        "OAuthDPoPTests.DPoPKeyTests",
        "guard publicKey.x == point.x, publicKey.y == point.y else { throw .keyMismatch }",
        "",
    ),
    Mutation(
        "a service token may speak for another account",
        "BskyAuthCoreTests.ServiceTokenTests",
        'guard claims["iss"]?.string == account.description else { throw .issuer }',
        "",
    ),
    Mutation(
        "a service token may be for every method",
        "BskyAuthCoreTests.ServiceTokenTests",
        'guard claims["lxm"]?.string == request.method.description else { throw .method }',
        "",
    ),
    Mutation(
        "a service token may have a line break",
        "BskyAuthCoreTests.ServiceTokenTests",
        "guard text.utf8.allSatisfy(Self.isOfJWT), let claims = token.claims else { throw .malformed }",
        "guard let claims = token.claims else { throw .malformed }",
    ),
    Mutation(
        "a redirect of a service is an answer",
        "BskyAuthCoreTests.ServiceCallTests",
        """        guard !(300..<400).contains(response.status) else {
            response.body.cancel()
            throw CoreError.serviceRedirects(service, server)
        }
""",
        "",
    ),
    Mutation(
        "a service gets the account's own access token",
        "BskyAuthCoreTests.ServiceCallTests",
        'sent.headerFields[.authorization] = "Bearer \\(token.reveal())"',
        """_ = token
        let session = try environment.accounts.session(account.id)
        sent.headerFields[.authorization] = "Bearer \\(session.accessToken.reveal())\"""",
        "internal import Synchronization\n\n/// Calls a service apart",
        "internal import OAuth\ninternal import Synchronization\n\n/// Calls a service apart",
    ),
    Mutation(
        "a service may be at an address that the policy refuses",
        "BskyAuthCoreTests.ServiceCallTests",
        "        if let refusal = policy.refusal(of: url) { throw .endpointRefused(refusal) }\n        return url.origin",
        "        return url.origin",
    ),
]
