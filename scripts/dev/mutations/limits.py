"""What a program under exec or a proxy may do with an account."""

from .mutation import Mutation

LIMITS = "ATProtoGatewayTests.AccessLimitsTests"
RULES = "ATProtoGatewayTests.AllowRuleTests"
WRITES = "ATProtoGatewayTests.RepositoryWritesTests"

MUTATIONS = [
    Mutation(
        "a program may have the PDS forward to any service",
        LIMITS,
        "if let service = request.service, !services.contains(service) {",
        "if let service = request.service, services.isEmpty {",
    ),
    Mutation(
        "a method of a rule may be called in the wrong way",
        LIMITS,
        "if let kind = KnownMethods.lexicons.kind(of: request.nsid), kind != request.method {",
        "if let kind = KnownMethods.lexicons.kind(of: request.nsid), kind != request.method, rules.isEmpty {",
    ),
    Mutation(
        "a rule widens --read-only",
        LIMITS,
        "if isReadOnly, !isHarmless(request) {",
        "if isReadOnly, rules.isEmpty, !isHarmless(request) {",
    ),
    Mutation(
        "--read-only lets unknown queries through",
        LIMITS,
        "known.kind(of: nsid) == .query && !givesSecret",
        "known.kind(of: nsid) != .procedure && !givesSecret",
    ),
    Mutation(
        "--read-only lets tokens for services be made",
        LIMITS,
        ".query && !givesSecret(nsid)",
        ".query",
    ),
    Mutation(
        "--read-only lets conversations be made",
        LIMITS,
        'activeQueries = ["chat.bsky.convo.getConvoForMembers"]',
        "activeQueries: [String] = []",
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
        'return .refuse("no allow rule lets \\(nsid) through")',
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
        "guard hasRule(of: nsid) else {",
        "guard hasRule(of: nsid) || names(nsid) else {",
    ),
    Mutation(
        "a method that gives out a secret needs no rule of its own",
        LIMITS,
        """        serviceAuth, "com.atproto.space.getDelegationToken", "com.atproto.space.getSpaceCredential",
""",
        """        serviceAuth,
""",
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
        "guard !Self.givesSecret(method), names(method)",
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
        'pattern.hasSuffix("/*") && other.hasPrefix(pattern.dropLast())',
        'pattern.hasSuffix("/*") && other.hasPrefix(pattern.dropLast(2))',
    ),
    Mutation(
        "a rule for a group of methods may have a single part",
        RULES,
        'guard (try? NSID(validating: text.dropLast() + "x")) != nil else { throw .name }',
        "",
    ),
    Mutation(
        "a rule that only writes counts beside --read-only",
        RULES,
        "isReadOnly && !mayRead ? .changes : nil",
        "nil",
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
]
