"""Clients of the user's own: their keys, and what servers say about them."""

from .mutation import Mutation

MUTATIONS = [
    Mutation(
        "another client key is tried",
        "OAuthDPoPTests.ClientAuthenticationTests",
        "guard let assertions, assertions.keyID == keyID else {",
        "guard let assertions else {",
    ),
    Mutation(
        "a session gets another key of its client",
        "BskyAuthCoreTests.ConfidentialSessionTests",
        "let key = known.keys.first(where: { $0.id == keyID }), key.secret != nil",
        "let key = known.keys.last, key.secret != nil",
    ),
    Mutation(
        "an answer about the client is one about the token",
        "OAuthDPoPTests.OAuthErrorTests",
        'case "invalid_client", "invalid_client_metadata", "invalid_redirect_uri", "unauthorized_client": true',
        'case "invalid_client", "unauthorized_client": true',
    ),
    Mutation(
        "a session that ended after an answer about the client is told as lost",
        "BskyAuthCoreTests.ConfidentialSessionTests",
        "return earlier.map { $0.answer?.isUnseen != true } ?? false",
        "return earlier != nil",
    ),
    Mutation(
        "a logout believes the revocation endpoint",
        "BskyAuthCoreTests.ConfidentialSessionTests",
        "        guard assertions != nil else {\n            try await server.end(session)",
        "        guard assertions != nil, account.label == \"x\" else {\n            try await server.end(session)",
    ),
    Mutation(
        "the state names a port although the browser is elsewhere",
        "BskyAuthCoreTests.ConfidentialSessionTests",
        "try request.browserIsHere ? State(port: port) : State()",
        "try State(port: port)",
    ),
    Mutation(
        "an export takes along a key that others need",
        "BskyAuthCoreTests.ConfidentialSessionTests",
        "if !sharesKey, !keyUsers.isEmpty {",
        "if !sharesKey, keyUsers.count > 9 {",
    ),
    Mutation(
        "an import believes any client",
        "BskyAuthCoreTests.ConfidentialSessionTests",
        "guard client.clientID == used.id, client.keys.count == 1, client.keys[0].id == keyID,",
        "guard client.clientID == used.id, client.keys.count == 1,",
    ),
    Mutation(
        "the session of a confidential client ends after 14 days",
        "BskyAuthCoreTests.ConfidentialSessionTests",
        "(credential.client.isConfidential ? 2 * 365.25 : 14)",
        "(credential.client.isConfidential ? 14 : 14)",
    ),
    Mutation(
        "an app's session gets another key of its client",
        "ATProtoSessionsTests.PortTests",
        "let source = assertions.first(where: { $0.keyID == keyID })",
        "let source = assertions.first",
    ),
    Mutation(
        "an app's login takes a redirect without its issuer",
        "ATProtoSessionsTests.ClientLoginTests",
        "needsIssuer: true\n            ).code",
        "needsIssuer: false\n            ).code",
    ),
    Mutation(
        "an app's store lets every task in",
        "ATProtoSessionsTests.AgentTests",
        "guard state.queues[key] != nil else {",
        "guard state.queues[key] != nil, limit < .zero else {",
    ),
    Mutation(
        "an account of an app may be used on another network",
        "ATProtoSessionsTests.ClientAccountTests",
        "guard account.devNetwork == network.policy.devNetwork else {\n            throw ATProtoFailure(.unknownAccount",
        "guard account.devNetwork == nil || network.policy.devNetwork != nil else {\n            throw ATProtoFailure(.unknownAccount",
    ),
    Mutation(
        "an assertion for another session key is used",
        "OAuthDPoPTests.BackendAssertionTests",
        'guard claims["cnf"]?["jkt"]?.string == purpose.thumbprint else { throw Self.wrong("cnf") }',
        "",
    ),
    Mutation(
        "an assertion for another issuer is used",
        "OAuthDPoPTests.BackendAssertionTests",
        'guard claims["aud"]?.string == purpose.issuer else { throw Self.wrong("aud") }',
        "",
    ),
    Mutation(
        "an assertion of another client is used",
        "OAuthDPoPTests.BackendAssertionTests",
        "guard clientID == known.clientID.description else {",
        "guard !clientID.isEmpty else {",
    ),
    Mutation(
        "an assertion of another client key is used",
        "OAuthDPoPTests.BackendAssertionTests",
        "guard keyID == known.keyID else {",
        "guard !keyID.isEmpty else {",
    ),
    Mutation(
        "an assertion that has ended is used",
        "OAuthDPoPTests.BackendAssertionTests",
        'let end = claims["exp"]?.integer, end > purpose.now, end',
        'let end = claims["exp"]?.integer, end',
    ),
    Mutation(
        "an assertion that is valid for long is used",
        "OAuthDPoPTests.BackendAssertionTests",
        "private static let longestLife: Int64 = 300",
        "private static let longestLife: Int64 = 3600",
    ),
    Mutation(
        "an answer of the assertion backend is one about the refresh token",
        "OAuthDPoPTests.BackendAssertionTests",
        "if endpoint == .clientAssertion { return .nothingSent }",
        "",
    ),
    Mutation(
        "a logout without an assertion removes the account",
        "BskyAuthCoreTests.BackendSessionTests",
        "if case SessionFailure.oauth(let cause, _) = error, cause.endpoint == .clientAssertion {",
        "if case SessionFailure.oauth(let cause, _) = error, cause.endpoint == .resource {",
    ),
]
