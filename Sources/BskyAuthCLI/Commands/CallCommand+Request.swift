internal import ATProto
internal import HTTPTypes
internal import Networking

extension CallCommand {
    /// Reads the command line into a request.
    ///
    /// - Parameter owner: the account whose repository a write goes to; nil without an account.
    func request(owner: RepositoryOwner?) throws -> XRPCRequest {
        guard let nsid = try? NSID(validating: self.nsid) else {
            let near = PublicMethods.method(endingIn: self.nsid)
            throw Failure.usage(
                "\"\(self.nsid.escapedForTerminal)\" is not a method name"
                    + (near.map { "; did you mean \($0)?" } ?? " such as app.bsky.feed.getTimeline"))
        }
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
            try requireObjects(values, nsid)
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

    /// Reads the items, and the options that are items. Headers go to `fields`.
    private func values(_ nsid: NSID, _ fields: inout HTTPFields) throws -> [XRPCInput.Item] {
        let readers = file.count(where: CallItem.readsStandardInput) + (input == "-" ? 1 : 0)
        guard readers <= 1 else { throw Failure.usage("standard input can only be read once") }
        var values: [XRPCInput.Item] = []
        let named = try items.map { try CallItem(parsing: $0) }
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

    /// Refuses text for the record of a write. The server would say less.
    private func requireObjects(_ values: [XRPCInput.Item], _ nsid: NSID) throws {
        guard WriteDefaults.apply(to: nsid) else { return }
        let name = nsid.name == "applyWrites" ? "writes" : "record"
        for case .text(name, let text) in values {
            let json = (text.isEmpty ? "{}" : text.escapedForTerminal).shellQuoted
            let part = name == "record" ? "'record[text]=…'" : "'writes[0][collection]=…'"
            throw Failure(
                .usage, "usage", "\"\(name)\" is JSON, but \(name)=… sends text",
                hint: "write \(name):=\(json), or \(part) for a member")
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
