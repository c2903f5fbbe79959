"""Login: what the browser brings back, and whose tokens the server sends."""

from .mutation import Mutation

MUTATIONS = [
    # The redirect
    Mutation(
        "the issuer in the redirect is not compared",
        "OAuthDPoPTests.AuthorizationResponseTests",
        "if let found, found != issuer.description {",
        "if let found, found.isEmpty {",
    ),
    Mutation(
        "the redirect may leave out the issuer",
        "OAuthDPoPTests.AuthorizationResponseTests",
        "guard found != nil || !needsIssuer else { throw .issuerMissing }",
        "",
    ),
    Mutation(
        "an atproto issuer may have a path",
        "OAuthDPoPTests.IssuerNameTests",
        'if profile.hasOriginsAsIssuers, url.path != "/" || text.hasSuffix("/") {',
        "if profile.hasOriginsAsIssuers, text.isEmpty {",
    ),
    Mutation(
        "what a profile asks of a server is not checked",
        "OAuthDPoPTests.AuthorizationServerMetadataTests",
        "for field in profile.requiredFlags { try document.requireTrue(field) }",
        "",
    ),
    Mutation(
        "a plain server may lack S256",
        "OAuthDPoPTests.PlainProfileTests",
        '("code_challenge_methods_supported", ["S256"]),',
        "",
    ),
    Mutation(
        "the state matches by its beginning",
        "OAuthDPoPTests.StateTests",
        "ConstantTime.equals(Array(value.utf8), Array(other.utf8))",
        "value.hasPrefix(other)",
    ),
    Mutation(
        "the state is not compared in constant time",
        "ConformanceTests.SourceTests",
        "ConstantTime.equals(Array(value.utf8), Array(other.utf8))",
        "value == other",
    ),
    Mutation(
        "the state can be used twice",
        "BskyAuthCoreTests.LoginInProgressTests",
        "phase = .completing(task)",
        "_ = phase",
    ),
    Mutation(
        "the PKCE challenge is the verifier",
        "OAuthDPoPTests.CodeVerifierTests",
        "package var challenge: String { Base64URL.encode(SHA256.hash(value.utf8)) }",
        "package var challenge: String { value }",
    ),
    Mutation(
        "the callback page does not escape markup",
        "BskyAuthCLITests.CallbackPageTests",
        'case "<": result += "&lt;"',
        'case "<": result += "<"',
    ),
    Mutation(
        "the code stays in the address bar",
        "BskyAuthCLITests.CallbackPageTests",
        "history.replaceState(null,'',location.pathname)",
        "history.length",
    ),
    Mutation(
        "the callback page may load and run anything",
        "BskyAuthLoopbackTests.LoopbackServerTests",
        """["default-src 'none'"]""",
        '["default-src *"]',
    ),
    # The account and the issuer
    Mutation(
        "a login accepts the tokens of another account",
        "BskyAuthCoreTests.LoginVerificationTests",
        "if let expected = expected.did, expected != did {",
        "if let expected = expected.did, expected != did, expected == did {",
    ),
    Mutation(
        "a refresh accepts the tokens of another account",
        "BskyAuthCoreTests.RotationFailureTests",
        "guard response.subject == account.did.description else {",
        "guard response.subject != nil else {",
    ),
    Mutation(
        "an account may be served by any issuer",
        "BskyAuthCoreTests.LoginVerificationTests",
        "let metadata = answer.metadata\n"
        "        guard metadata.issuer == issuer else {",
        "let metadata = answer.metadata\n"
        "        guard !issuer.description.isEmpty else {",
    ),
    Mutation(
        "the issuer check reads the account from the cache",
        "BskyAuthCoreTests.LoginFlowTests",
        "identity = try await network.identities.resolve(.did(did), freshness: .now)",
        "identity = try await network.identities.resolve(.did(did), freshness: .cached)",
    ),
    Mutation(
        "the metadata may name an issuer with a longer URL",
        "OAuthDPoPTests.AuthorizationServerMetadataTests",
        "guard name == issuer.description else {",
        "guard name.hasPrefix(issuer.description) else {",
    ),
    Mutation(
        "a login trusts a cached handle",
        "BskyAuthCoreTests.LoginVerificationTests",
        "if identity?.isFirstHand == false, case .handle",
        "if identity == nil, case .handle",
    ),
    # The scope
    Mutation(
        "a login that was granted nothing is saved",
        "BskyAuthCoreTests.LoginVerificationTests",
        "asked.values.allSatisfy { $0 == Scope.atproto } || granted.values.contains { $0 != Scope.atproto }",
        "!granted.values.isEmpty",
    ),
    Mutation(
        "a login that was granted nothing keeps its tokens at the server",
        "BskyAuthCoreTests.LoginVerificationTests",
        "of: asked, areRevoked: await revoke(response, authorization.signer))",
        "of: asked, areRevoked: true)",
    ),
    Mutation(
        "a scope for which servers grant nothing is asked for",
        "BskyAuthCLITests.OptionTests",
        "faults.append(ScopeFault(fault: error, value: value))",
        "continue",
    ),
    Mutation(
        "a set of Bluesky that does not exist is asked for",
        "ATProtoXRPCTests.RequestedScopeTests",
        "if CompiledLexicons.isOwned(set) { throw .noSuchSet(set) }",
        "",
    ),
    Mutation(
        "a set without the audience that it needs is asked for",
        "ATProtoXRPCTests.RequestedScopeTests",
        "expansion.losses.allSatisfy({ $0.reason == .noAudience })",
        "expansion.losses.isEmpty",
    ),
    Mutation(
        "a refresh forgets the requested scope",
        "BskyAuthCoreTests.LoginFlowTests",
        "scope: response.scope ?? scope, requestedScope: requestedScope)",
        "scope: response.scope ?? scope)",
    ),
    Mutation(
        "a requested scope is kept whatever its length",
        "BskyAuthCoreTests.RecordCodecTests",
        "requestedScope.flatMap { $0.utf8.count <= Self.longestScope ? $0 : nil }",
        "requestedScope",
    ),
    Mutation(
        "the granted scope of a client with a document is asked for again",
        "BskyAuthCLITests.ErrorPresenterTests",
        "self = .oauth(scope: asked, client: client)",
        "self = .oauth(scope: asked ?? session.scope, client: client)",
    ),
    Mutation(
        "an audience that is a DID alone is proposed",
        "BskyAuthCLITests.ErrorPresenterNetworkTests",
        "guard case .audience(let text) = error, text != \"*\",",
        "guard case .audience(let text) = error, text == \"*\",",
    ),
    Mutation(
        "a permission is granted at every service",
        "ATProtoXRPCTests.PermissionsTests",
        "Self.names(names, cover: others) && (audience == .any || audience == otherAudience)",
        "Self.names(names, cover: others)",
    ),
    Mutation(
        "a permission is granted with every action",
        "ATProtoXRPCTests.PermissionsTests",
        "Self.names(names, cover: others) && otherActions.isSubset(of: actions)",
        "Self.names(names, cover: others) && !actions.isEmpty",
    ),
    Mutation(
        "a set permits names with other capitals",
        "ATProtoXRPCTests.SetExpansionTests",
        "guard nsid.isBelow(set.authority), text == nsid.description else {",
        "guard nsid.isBelow(set.authority) else {",
    ),
    Mutation(
        "a set permits names that begin like its namespace",
        "ATProtoXRPCTests.SetExpansionTests",
        'authority == domain || authority.hasPrefix("\\(domain).")',
        "authority.hasPrefix(domain)",
    ),
    Mutation(
        "a method of spaces leads to a public one",
        "BskyAuthCLITests.PublicMethodsTests",
        'let names = nsid.isOfSpaces ? names.filter { $0.hasPrefix("\\(nsid.authority).") } : names',
        "let names = names",
    ),
    # The hint to log in again
    Mutation(
        "the hint to log in drops the scope",
        "BskyAuthCLITests.ErrorPresenterTests",
        "for value in others.isEmpty ? [Scope.atproto] : others {",
        "for value in others.prefix(0) {",
    ),
    Mutation(
        "the hint to log in drops the client",
        "BskyAuthCLITests.ErrorPresenterTests",
        'if let client { words += options(client) }',
        "_ = client",
    ),
    Mutation(
        "the hint to log in drops the app password",
        "BskyAuthCLITests.ErrorPresenterTests",
        'case .appPassword: words.append("--app-password")',
        "case .appPassword: break",
    ),
    Mutation(
        "the hint to log in repeats the granted scope, not the requested one",
        "BskyAuthCLITests.ErrorPresenterTests",
        "self = .oauth(scope: asked ?? inName, client: nil)",
        "self = .oauth(scope: asked == session.scope ? inName : session.scope, client: nil)",
    ),
    Mutation(
        "an app password goes where a cache says",
        "BskyAuthCoreTests.PasswordSessionTests",
        ") async throws -> Identity {\n        try await network.identities.resolve(identifier, freshness: .now)",
        ") async throws -> Identity {\n        try await network.identities.resolve(identifier, freshness: .cached)",
    ),
    Mutation(
        "a login that another process saved is written over newer tokens",
        "BskyAuthCoreTests.KeptLoginTests",
        "if let kept = new.kept, try !vault.isKept(kept) {",
        "if let kept = new.kept, kept == id {",
    ),
    Mutation(
        "a login that was saved before a kill is written over newer tokens",
        "BskyAuthCoreTests.KeptLoginTests",
        "if let session, session.isOfSameLogin(as: new.session) {",
        "if let session, session.isOfSameLogin(as: new.session), new.account.id == id {",
    ),
    Mutation(
        "two logins at once add two accounts",
        "ATProtoSessionsTests.SessionStoreTests",
        "if let taken = try accounts.readable(found).first(where: { $0.isSameLogin(as: account) }) {",
        "if let taken = try accounts.readable(found).first(where: { $0.id == account.id }) {",
    ),
    Mutation(
        "the tokens of a kept login are revoked",
        "ATProtoSessionsTests.ClientLoginTests",
        "if error.code != .kept { await exchange.revoke(verified) }",
        "await exchange.revoke(verified)",
    ),
    Mutation(
        "a check of a session follows it to a new PDS",
        "BskyAuthCoreTests.SessionCheckFlowTests",
        "guard identity.pds == account.pds, let lock",
        "guard let lock",
    ),
    Mutation(
        "a login that is kept is revoked when it can't be saved",
        "BskyAuthCoreTests.KeptLoginTests",
        "            if case CoreError.loginKept = error { throw error }\n            await attempt.exchange.revoke",
        "            await attempt.exchange.revoke",
    ),
    Mutation(
        "a rekey leaves kept logins under the old key",
        "EnduranceTests.KeptLoginTests",
        "        try logins.reseal()\n",
        "",
    ),
]
