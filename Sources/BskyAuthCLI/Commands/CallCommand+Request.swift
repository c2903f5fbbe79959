internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoXRPC
internal import HTTPTypes

extension CallCommand {
    /// Reads the command line into a request.
    ///
    /// - Parameter owner: the account whose repository a write goes to; nil without an account.
    func request(owner: RepositoryOwner?) throws -> XRPCRequest {
        guard let nsid = try? NSID(validating: self.nsid) else { throw noMethod }
        let method: XRPCMethod =
            switch self.method {
            case .query: .query
            case .procedure: .procedure
            case nil: PublicMethods.kind(of: nsid) ?? XRPCMethod(inferredFrom: nsid)
            }
        var fields = HTTPFields()
        let values = try values(nsid, &fields)
        try services.add(to: &fields)
        guard let input else {
            try RepositoryItems(of: nsid).check(values, isStrict: !noCheck)
            var named = try named(values, method)
            if method == .procedure, let owner { named.body = try owner.body(named.body, of: nsid) }
            return XRPCRequest(method, nsid, input: named, headerFields: fields)
        }
        guard method == .procedure else {
            throw Failure.usage("a query has no body; if \(nsid) is a procedure, add -X procedure")
        }
        let body = try BodyInput(input)
        // The body is given, so the items belong to the query.
        return XRPCRequest(
            .procedure, nsid, parameters: try named(values, .query).parameters,
            body: .stream(body), contentType: contentType ?? body.mediaType(of: input, for: nsid),
            headerFields: fields)
    }

    /// That the first argument is no name of a method, with the methods that it may mean.
    private var noMethod: Failure {
        let near = PublicMethods.methods(endingIn: nsid).prefix(3)
        var failure = Failure.usage(
            "\"\(nsid.escapedForTerminal)\" is not a method name"
                + (near.isEmpty
                    ? " such as app.bsky.feed.getTimeline"
                    : "; did you mean \(near.joined(separator: " or "))?"))
        if let first = near.first { failure.hint = "bskyauth help \(first)" }
        return failure
    }

    /// Reads an item. A file that is given without `--input` is named in the hint.
    private func item(_ text: String, _ nsid: NSID) throws -> CallItem {
        do {
            return try CallItem(parsing: text)
        } catch var failure as Failure {
            let type = PublicMethods.method(nsid)?.input
            let mayBeFile = type != nil && (type != "application/json" || text.hasSuffix(".json"))
            if mayBeFile, !text.contains(where: { $0 == "=" || $0 == ":" }) {
                let file = text.withoutAt.escapedForTerminal.shellQuoted
                failure.hint = "bskyauth call \(nsid) --input \(file)"
            }
            throw failure
        }
    }

    /// Reads the items, and the options that are items. Headers go to `fields`.
    private func values(_ nsid: NSID, _ fields: inout HTTPFields) throws -> [XRPCInput.Item] {
        var values: [XRPCInput.Item] = []
        let named = try items.map { try item($0, nsid) }
        if input != nil, case .record(_, let text)? = named.first(where: \.isRecord) {
            throw Failure.usage(
                "with --input the body names the record, so \"\(text.escapedForTerminal)\" can't be given")
        }
        let others = try field.map { try CallItem(field: $0) } + file.map { try CallItem(file: $0) }
        for item in named + others { try item.add(to: &values, &fields, of: nsid) }
        for text in header {
            guard let colon = text.firstIndex(of: ":") else { throw Failure.usage("-H takes Name:value") }
            try CallItem.header(
                name: String(text[..<colon]), value: String(text[text.index(after: colon)...])
            )
            .add(to: &values, &fields, of: nsid)
        }
        if named.contains(where: \.isRecord) {
            try requireOne(of: ["repo", "collection", "rkey"], in: values)
        }
        return values
    }

    /// Refuses a name that is given by an address and by itself. A query would send both.
    private func requireOne(of names: [String], in values: [XRPCInput.Item]) throws {
        for name in names where values.count(where: { $0.name == name }) > 1 {
            throw Failure.usage("\(name) is given twice: by an address and by another item")
        }
    }

    private func named(_ values: [XRPCInput.Item], _ method: XRPCMethod) throws -> XRPCInput {
        do {
            return try XRPCInput(values, for: method)
        } catch let error {
            throw ErrorPresenter.failure(error)
        }
    }
}
