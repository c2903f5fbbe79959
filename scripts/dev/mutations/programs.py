"""exec and proxy: what lets a program act as an account, and what it may do then."""

from .mutation import Mutation

LIMITS = "GatewayTests.AccessLimitsTests"
RULES = "GatewayTests.AllowRuleTests"
WRITES = "GatewayTests.RepositoryWritesTests"
REQUEST = "GatewayTests.GatewayRequestTests"
KEYS = "GatewayTests.RunKeysTests"
GATEWAY = "GatewayTests.GatewayTests"
SERVER = "LoopbackServerTests.RequestServerTests"
HEAD = "LoopbackServerTests.RequestHeadTests"
EXEC = "EndToEndTests.EndToEnd/ExecTests"
PROXY = "EndToEndTests.EndToEnd/ProxyTests"

MUTATIONS = [
    # Limits.
    Mutation(
        "a program may have the PDS forward to any service",
        LIMITS,
        "if let service = request.service, !services.contains(service) {",
        "if let service = request.service, services.isEmpty {",
    ),
    Mutation(
        "a method of a rule may be called in the wrong way",
        LIMITS,
        "if let kind = known.kind(of: request.nsid), kind != request.method {",
        "if let kind = known.kind(of: request.nsid), kind != request.method, rules.isEmpty {",
    ),
    Mutation(
        "a rule widens --read-only",
        LIMITS,
        "if isReadOnly, !isHarmless(request, known) {",
        "if isReadOnly, rules.isEmpty, !isHarmless(request, known) {",
    ),
    Mutation(
        "--read-only lets unknown queries through",
        LIMITS,
        "request.method == .query && known.kind(of: request.nsid) == .query\n",
        "request.method == .query\n",
    ),
    Mutation(
        "--read-only lets tokens for services be made",
        LIMITS,
        '[Self.serviceAuth, "chat.bsky.convo.getConvoForMembers"]',
        '["chat.bsky.convo.getConvoForMembers"]',
    ),
    Mutation(
        "--read-only lets conversations be made",
        LIMITS,
        '[Self.serviceAuth, "chat.bsky.convo.getConvoForMembers"]',
        "[Self.serviceAuth]",
    ),
    Mutation(
        "a known method goes by any spelling",
        LIMITS,
        "methods[nsid.description.lowercased()]?.nsid ?? nsid",
        "nsid",
    ),
    Mutation(
        "what no rule names passes",
        LIMITS,
        'return .refuse("no --allow rule lets \\(nsid) through")',
        "return .pass",
    ),
    Mutation(
        "a group of methods ends within a name",
        LIMITS,
        "self = .methods(prefix: text.dropLast().lowercased())",
        "self = .methods(prefix: text.dropLast(2).lowercased())",
    ),
    Mutation(
        "an rpc permission counts at every service",
        LIMITS,
        "case .service(let named): service == named.description || service == named.did.description",
        "case .service: true",
    ),
    Mutation(
        "a token for a service needs no rule of its own",
        LIMITS,
        "guard isNamed else {",
        "guard isNamed || names(request.nsid) else {",
    ),
    Mutation(
        "a token for a service may have parameters that nobody knows",
        LIMITS,
        'parameters.all.allSatisfy({ ["aud", "lxm", "exp"].contains($0.name) }),',
        "",
    ),
    Mutation(
        "a token for a service may have a parameter twice",
        LIMITS,
        "Set(parameters.all.map(\\.name)).count == parameters.all.count,",
        "",
    ),
    Mutation(
        "a token for a service may make more such tokens",
        LIMITS,
        "guard method.description != Self.serviceAuth, names(method)",
        "guard names(method)",
    ),
    Mutation(
        "a token for a service is for every method",
        LIMITS,
        "names(method) || calls(method, at: audience) else {",
        "names(method) || calls(method, at: audience) || !rules.isEmpty else {",
    ),
    Mutation(
        "a blob permission allows every type",
        LIMITS,
        'if request.nsid.description == "com.atproto.repo.uploadBlob", accepts(request.contentType) {',
        'if request.nsid.description == "com.atproto.repo.uploadBlob" {',
    ),
    Mutation(
        "a range of types ends within a name",
        LIMITS,
        'pattern.hasSuffix("/*") && type.hasPrefix(pattern.dropLast())',
        'pattern.hasSuffix("/*") && type.hasPrefix(pattern.dropLast(2))',
    ),
    Mutation(
        "a rule for a group of methods may have a single part",
        RULES,
        'guard (try? NSID(validating: text.dropLast() + "x")) != nil else { throw .name }',
        "",
    ),
    # Writes in a body.
    Mutation(
        "a write may be of any action",
        WRITES,
        "return actions.contains(write.action)\n                && (collections",
        "return (collections",
    ),
    Mutation(
        "a write may be in any collection",
        WRITES,
        "&& (collections.contains(.any) || collections.contains(.nsid(write.collection)))",
        "&& !collections.isEmpty",
    ),
    Mutation(
        "a put is no creation",
        WRITES,
        '"com.atproto.repo.putRecord": [.create, .update],',
        '"com.atproto.repo.putRecord": [.update],',
    ),
    Mutation(
        "a put is no update",
        WRITES,
        '"com.atproto.repo.putRecord": [.create, .update],',
        '"com.atproto.repo.putRecord": [.create],',
    ),
    Mutation(
        "a write may go to another repository",
        WRITES,
        'guard let repo = json["repo"]?.string, owner.contains(repo.lowercased()) else {',
        'guard json["repo"]?.string != nil else {',
    ),
    Mutation(
        "a checked body may be of another type",
        WRITES,
        "guard request.headerFields[.contentEncoding] == nil, Self.isJSON(request.contentType) else {",
        "guard request.headerFields[.contentEncoding] == nil else {",
    ),
    Mutation(
        "a checked body may be compressed",
        WRITES,
        "guard request.headerFields[.contentEncoding] == nil, Self.isJSON(request.contentType) else {",
        "guard Self.isJSON(request.contentType) else {",
    ),
    Mutation(
        "a checked write may have parameters",
        WRITES,
        'guard request.parameters.isEmpty else { throw Unreadable(reason: "a write has no parameters") }',
        "",
    ),
    Mutation(
        "a collection may be spelled in another way",
        WRITES,
        ",\n            collection.description == text\n",
        "\n",
    ),
    # Requests.
    Mutation(
        "a path may have two slashes",
        REQUEST,
        'guard path.hasPrefix("/"), !path.contains("//"), ',
        'guard path.hasPrefix("/"), ',
    ),
    Mutation(
        "a path may be in capitals",
        REQUEST,
        "guard path.hasPrefix(Self.path) else { throw .notFound }",
        "guard path.lowercased().hasPrefix(Self.path) else { throw .notFound }",
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
        "headerFields: HTTPFields(response.headerFields.filter { isPassed($0.name) }),",
        "headerFields: response.headerFields,",
    ),
    # Secrets and tokens of a run.
    Mutation(
        "a token's code is not compared",
        KEYS,
        'ConstantTime.equals(given, code(of: "\\(parts[0]).\\(parts[1])")),',
        "!given.isEmpty,",
    ),
    Mutation(
        "a token's code leaves out its header",
        KEYS,
        'ConstantTime.equals(given, code(of: "\\(parts[0]).\\(parts[1])")),',
        "ConstantTime.equals(given, code(of: String(parts[1]))),",
        "Base64URL.encode(code(of: signed))",
        "Base64URL.encode(code(of: Base64URL.encode(claims.text.utf8)))",
    ),
    Mutation(
        "a token's header may be any",
        KEYS,
        "let kind = Kind.allCases.first(where: { $0.header == parts[0] }),",
        "let kind = Kind.allCases.first(where: { $0.header == parts[0] }) ?? Kind.allCases.first,",
        'ConstantTime.equals(given, code(of: "\\(parts[0]).\\(parts[1])")),',
        "ConstantTime.equals(given, code(of: \"\\(kind.header).\\(parts[1])\")),",
    ),
    Mutation(
        "an ended session goes on",
        KEYS,
        'let end = claims["exp"]?.integer, !ended.withLock({ $0.contains(id) })',
        'let end = claims["exp"]?.integer',
    ),
    Mutation(
        "a token never expires",
        KEYS,
        "isExpired: Double(end) <= now.timeIntervalSince1970)",
        "isExpired: end == 0)",
    ),
    Mutation(
        "an expired token is good",
        GATEWAY,
        "guard !token.isExpired else { throw .expired }",
        "",
    ),
    Mutation(
        "a token for refreshing is good for everything",
        GATEWAY,
        "guard let token = keys.read(text, now: now()), token.kind == kind else {",
        "guard let token = keys.read(text, now: now()) else {",
    ),
    Mutation(
        "a wrong secret keeps the connection",
        GATEWAY,
        "answer.endsConnection = refusal.status == 401",
        "answer.endsConnection = refusal.status == 500",
    ),
    Mutation(
        "a connection is trusted before the secret is seen",
        GATEWAY,
        "let account = try user(of: request, .access).account\n        request.vouch()\n",
        "request.vouch()\n        let account = try user(of: request, .access).account\n",
    ),
    Mutation(
        "a session method in another spelling goes to the PDS",
        GATEWAY,
        "let name = nsid.description.lowercased()\n        guard\n            let method = [Self",
        "let name = nsid.description\n        guard\n            let method = [Self",
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
        'guard account.names.contains(name.hasPrefix("@") ? String(name.dropFirst()) : name) else {',
        "guard !name.isEmpty else {",
    ),
    Mutation(
        "a program is told to refresh an ended session",
        EXEC,
        'return Refusal(401, "AuthenticationRequired", voice.words(error))',
        'return Refusal(400, "ExpiredToken", voice.words(error))',
    ),
    # Connections.
    Mutation(
        "any Host is answered",
        SERVER,
        'host == nil || headers["Host"] == [host ?? ""],',
        "",
    ),
    Mutation(
        "pages of other origins are answered",
        SERVER,
        'headers["Origin"].isEmpty\n        else',
        '!headers["Host"].isEmpty\n        else',
    ),
    Mutation(
        "a connection without a right has many answers",
        SERVER,
        "keepsAlive && trust.isGiven && !answer.endsConnection",
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
]
