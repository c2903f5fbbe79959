extension PersonalDataServer {
    /// Methods that read a repository. They need no session.
    var recordMethods: [String: XRPCMethod] {
        [
            "com.atproto.repo.getRecord": XRPCMethod(
                verb: .query, parameters: ["repo", "collection", "rkey"], access: .open
            ) { (call) throws(XRPCFailure) in
                let did = try repository(of: call)
                let collection = call.parameter("collection") ?? ""
                let key = call.parameter("rkey") ?? ""
                guard let record = await repositories.record(did: did, collection: collection, key: key)
                else {
                    throw XRPCFailure(
                        400, "RecordNotFound", "Could not locate record: at://\(did)/\(collection)/\(key)")
                }
                return .json(Self.entry(record))
            },
            "com.atproto.repo.listRecords": XRPCMethod(
                verb: .query, parameters: ["repo", "collection"], access: .open
            ) { (call) throws(XRPCFailure) in
                let page = await repositories.page(
                    did: try repository(of: call),
                    collection: call.parameter("collection") ?? "",
                    limit: try call.limit(default: 50, max: 100),
                    cursor: call.parameter("cursor"),
                    reverse: call.parameter("reverse") == "true"
                )
                return .json(Self.listing("records", page.records.map(Self.entry), cursor: page.cursor))
            },
            "com.atproto.repo.describeRepo": XRPCMethod(verb: .query, parameters: ["repo"], access: .open) {
                (call) throws(XRPCFailure) in
                guard let account = accounts.find(call.parameter("repo") ?? "") else {
                    throw .invalidRequest("Could not find user: \(call.parameter("repo") ?? "")")
                }
                return .json([
                    "handle": .string(account.handle),
                    "did": .string(account.did),
                    "didDoc": directory.document(of: account),
                    "collections": JSONValue(await repositories.collections(of: account.did)),
                    "handleIsCorrect": true,
                ])
            },
        ]
    }

    private func repository(of call: XRPCCall) throws(XRPCFailure) -> String {
        let name = call.parameter("repo") ?? ""
        guard let account = accounts.find(name) else { throw .invalidRequest("Could not find repo: \(name)") }
        return account.did
    }

    private static func entry(_ record: Repository.Record) -> JSONValue {
        ["uri": .string(record.uri), "cid": .string(record.cid), "value": record.value]
    }
}
