"""exec and proxy: what lets a program act as an account, and its connections."""

from .mutation import Mutation

REQUEST = "ATProtoGatewayTests.GatewayRequestTests"
KEYS = "BskyAuthCoreTests.RunKeysTests"
GATEWAY = "ATProtoGatewayTests.GatewayTests"
RUN = "BskyAuthCoreTests.ProgramGatewayTests"
SERVER = "BskyAuthLoopbackTests.RequestServerTests"
HEAD = "BskyAuthLoopbackTests.RequestHeadTests"
EXEC = "EndToEndTests.EndToEnd/ExecTests"
EXEC_MESSAGES = "EndToEndTests.EndToEnd/ExecMessageTests"
ADDRESS = "BskyAuthCoreTests.RunAddressTests"
AS_PDS = "EndToEndTests.EndToEnd/ProxyServerTests"
PROXY = "EndToEndTests.EndToEnd/ProxyTests"

MUTATIONS = [
    # Requests.
    Mutation(
        "a path may have two slashes",
        REQUEST,
        "!zip(path, path.dropFirst()).contains(where: { $0 == Self.slashes })",
        "true",
    ),
    Mutation(
        "a path may be in capitals",
        REQUEST,
        "guard path.starts(with: Self.path) else { throw .notFound }",
        "guard Substring(path).lowercased().utf8.starts(with: Self.path) else { throw .notFound }",
    ),
    Mutation(
        "a query may have a body",
        REQUEST,
        'if method == .query, hasBody { throw .invalid("a query has no body") }',
        "",
    ),
    Mutation(
        "every header field of a program goes to the PDS",
        REQUEST,
        "for field in headerFields where Self.passed.contains(field.name) {",
        "for field in headerFields {",
    ),
    Mutation(
        "a field that decides something may be there twice",
        REQUEST,
        "guard Self.lists.contains(field.name) || fields[field.name] == nil else {",
        "guard !Self.passed.isEmpty else {",
    ),
    Mutation(
        "every header field of a PDS goes to a program",
        REQUEST,
        "var fields = HTTPFields(response.headerFields.filter { isPassed($0.name) })",
        "var fields = response.headerFields",
    ),
    Mutation(
        "the bytes of an answer with a length are not counted",
        REQUEST,
        "body = ResponseBody(MeasuredBody(body, length: bodyLength))",
        "body = bodyLength < 0 ? response.body : body",
    ),
    # Secrets and tokens of a run.
    Mutation(
        "a token's code is not compared",
        KEYS,
        "ConstantTime.equals(form.code, code(of: form.signed))",
        "!form.code.isEmpty",
    ),
    Mutation(
        "a token's code leaves out its header",
        KEYS,
        "ConstantTime.equals(form.code, code(of: form.signed))",
        'ConstantTime.equals(form.code, code(of: String(form.signed.split(separator: ".")[1])))',
        "Base64URL.encode(code(of: signed))",
        "Base64URL.encode(code(of: Base64URL.encode(claims.text.utf8)))",
    ),
    Mutation(
        "a token's header may be any",
        KEYS,
        "let kind = Kind.allCases.first(where: { $0.header == parts[0] }),",
        "let kind = Kind.allCases.first(where: { $0.header == parts[0] }) ?? Kind.allCases.first,",
        'signed = "\\(parts[0]).\\(parts[1])"',
        'signed = "\\(kind.header).\\(parts[1])"',
    ),
    Mutation(
        "an ended session goes on",
        KEYS,
        'let end = form.claims["exp"]?.integer, !ended.withLock({ $0.contains(id) })',
        'let end = form.claims["exp"]?.integer',
    ),
    Mutation(
        "a token never expires",
        KEYS,
        "isExpired: Double(end) <= now.timeIntervalSince1970)",
        "isExpired: end == 0)",
    ),
    Mutation(
        "an expired token is good",
        RUN,
        "guard !token.isExpired else { throw .expired }",
        "",
    ),
    Mutation(
        "a token for refreshing is good for everything",
        RUN,
        "guard let token = keys.read(text, now: now()), token.kind == kind else {",
        "guard let token = keys.read(text, now: now()) else {",
    ),
    Mutation(
        "a wrong secret keeps the connection",
        RUN,
        "answer.endsConnection = refusal.status == 401",
        "answer.endsConnection = refusal.status == 500",
    ),
    Mutation(
        "a token of another run keeps the connection",
        RUN,
        "refusal.status == 401 || refusal == .otherRun",
        "refusal.status == 401",
    ),
    Mutation(
        "every name of a server is the proxy's own",
        ADDRESS,
        "names.contains(audience)",
        "!names.isEmpty",
    ),
    Mutation(
        "every profile is answered as the account's own",
        AS_PDS,
        "programAccount.account.identifiers.contains(actor.lowercased()),"
        "\n            gateway",
        "!actor.isEmpty, gateway",
    ),
    Mutation(
        "a handle of another account is resolved before the login",
        AS_PDS,
        "$0.account.handle?.description.lowercased() == handle",
        "$0.account.handle != nil || !handle.isEmpty",
    ),
    Mutation(
        "a connection is trusted before the secret is seen",
        RUN,
        "let text = String(value.dropFirst(7))\n",
        "let text = String(value.dropFirst(7))\n        request.secretShown()\n",
    ),
    Mutation(
        "a session method in another spelling goes to the PDS",
        GATEWAY,
        "let name = nsid.description.lowercased()\n        guard let method = Self.allCases",
        "let name = nsid.description\n        guard let method = Self.allCases",
    ),
    Mutation(
        "the beginning of a secret is enough",
        PROXY,
        "ConstantTime.equals(Array(secret.utf8), Array(text.utf8))",
        "secret.hasPrefix(text)",
    ),
    Mutation(
        "a program may believe that it is another account",
        EXEC,
        "guard programAccount.account.identifiers.contains(name) else {",
        "guard !name.isEmpty else {",
    ),
    Mutation(
        "a program is told to refresh an ended session",
        EXEC,
        'return Refusal(401, "AuthenticationRequired", reports.words(error))',
        'return Refusal(400, "ExpiredToken", reports.words(error))',
    ),
    # What the user is told.
    Mutation(
        "a locked vault is not told",
        EXEC_MESSAGES,
        "reports.reportClosed()\n",
        "\n",
    ),
    Mutation(
        "an account that was logged out has no name",
        EXEC_MESSAGES,
        "throw CoreError.loggedOut(account, terms)",
        "throw VaultError.noSuchAccount(account.id)",
    ),
    # Connections.
    Mutation(
        "any Host is answered",
        SERVER,
        'headers["Host"].count == 1, host == nil || headers["Host"] == [host ?? ""] else {',
        'headers["Host"].count == 1 else {',
    ),
    Mutation(
        "pages of other origins are answered",
        SERVER,
        'guard headers["Origin"].isEmpty else { throw .webPage }',
        "",
    ),
    Mutation(
        "a connection without a right has many answers",
        SERVER,
        "keepsAlive && trust.mayStay && !answer.endsConnection",
        "keepsAlive && !answer.endsConnection",
    ),
    Mutation(
        "a body may have two lengths",
        HEAD,
        "guard lengths.count == 1, text.utf8",
        "guard text.utf8",
    ),
    Mutation(
        "a length may have a sign",
        HEAD,
        "text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),\n",
        "!text.isEmpty,\n",
    ),
    Mutation(
        "a body may be chunked and have a length",
        HEAD,
        "return isChunked && lengths.isEmpty && !isOld ? .chunked : nil",
        "return isChunked && !isOld ? .chunked : nil",
    ),
    Mutation(
        "a body of HTTP/1.0 may be chunked",
        HEAD,
        "return isChunked && lengths.isEmpty && !isOld ? .chunked : nil",
        "return isChunked && lengths.isEmpty ? .chunked : nil",
    ),
    # What is left to others on the machine.
    Mutation(
        "a program gets what opens the vault",
        EXEC,
        "for name in Settings.unlockingVariables { child[name] = nil }",
        "",
    ),
    Mutation(
        "a socket is open to others",
        PROXY,
        "guard unsafe chmod(path, 0o600) == 0 else {",
        "guard unsafe chmod(path, 0o666) == 0 else {",
    ),
    Mutation(
        "a log is open to others",
        PROXY,
        'guard fchmod(descriptor, 0o600) == 0 else { throw .last("chmod", path) }',
        'guard fchmod(descriptor, 0o644) == 0 else { throw .last("chmod", path) }',
    ),
    Mutation(
        "a program starts with an account of another network",
        "EndToEndTests.EndToEnd/ExecMessageTests",
        "try account.checkNetwork(policy)\n        do { try await context.usableSession",
        "do { try await context.usableSession",
    ),
    # The gateway of the library.
    Mutation(
        "an answer may be cached for others",
        GATEWAY,
        'fields[.cacheControl] = "private, no-store"',
        "",
    ),
    Mutation(
        "an answer may lead a program or a browser away",
        "ATProtoGatewayTests.GatewayRequestTests",
        ".cacheControl, .retryAfter, .date,",
        ".cacheControl, .retryAfter, .location, .date,",
    ),
    Mutation(
        "a program may be told that an ended session lives",
        GATEWAY,
        "let facts = SessionMethod.facts(of: try await agent.usableAccount(waiting: longestWait))",
        "let facts = SessionMethod.facts(of: try await agent.storedAccount())",
    ),
    Mutation(
        "another service can end a session",
        GATEWAY,
        "if case .invalidToken(let words) = response, call.service != nil,",
        "if case .invalidToken(let words) = response, call.service == nil,",
    ),
]
