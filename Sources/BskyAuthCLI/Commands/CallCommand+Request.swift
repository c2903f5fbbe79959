internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoXRPC
internal import HTTPTypes

extension CallCommand {
    /// A request, and the lexicons that decide about it.
    struct Read {
        let request: XRPCRequest
        let lexicons: KnownLexicons
    }

    /// The command line as a request, with what the compiled lexicons say.
    func request(owner: RepositoryOwner?) throws -> XRPCRequest {
        let method = try method()
        return try request(method, try draft(method), of: owner, .compiled)
    }

    /// The command line as a request.
    ///
    /// - Parameters:
    ///   - owner: the account whose repository a write goes to.
    ///   - others: finds the lexicons that others publish.
    func request(owner: RepositoryOwner, _ others: CallLexicons) async throws -> Read {
        var lexicons = KnownLexicons.compiled
        if method == nil, let nsid = try? NSID(validating: nsid), !PublicMethods.areComplete(for: nsid) {
            lexicons = try await others.lexicon(ofMethod: nsid)
        }
        let method = try method(lexicons)
        let draft = try draft(method)
        // A file is sent as it is. Items are completed as the lexicons say.
        let whole = input == nil ? nil : try request(method, draft, of: owner, lexicons)
        if let body = whole.map(\.checkedBody) ?? draft.input.body, WriteDefaults.apply(to: method.nsid) {
            let collections = KnownLexicons.foreignCollections(in: body, of: method.nsid)
            if !collections.isEmpty {
                lexicons = try await others.lexicons(ofCollections: collections)
            }
        }
        let request = if let whole { whole } else { try request(method, draft, of: owner, lexicons) }
        return Read(request: request, lexicons: lexicons)
    }

    /// The method, and who says what kind it is.
    private struct NamedMethod {
        let nsid: NSID
        let kind: XRPCMethod
        let isForeign: Bool
    }

    private func method(_ lexicons: KnownLexicons = .compiled) throws -> NamedMethod {
        guard let nsid = try? NSID(validating: nsid) else { throw noMethod }
        switch method {
        case .query: return NamedMethod(nsid: nsid, kind: .query, isForeign: false)
        case .procedure: return NamedMethod(nsid: nsid, kind: .procedure, isForeign: false)
        case nil:
            let known = lexicons.method(nsid)
            return NamedMethod(
                nsid: nsid, kind: known?.method.kind ?? XRPCMethod(inferredFrom: nsid),
                isForeign: known?.isForeign == true)
        }
    }

    /// The items and options, before anything is filled in. With `--input`, the items belong to the query.
    private struct Draft {
        let input: XRPCInput
        let fields: HTTPFields
    }

    private func draft(_ method: NamedMethod) throws -> Draft {
        var fields = HTTPFields()
        let values = try values(method.nsid, &fields)
        try services.add(to: &fields)
        guard input != nil else {
            try RepositoryItems(of: method.nsid).check(values, isStrict: !noCheck)
            return Draft(input: try named(values, method.kind), fields: fields)
        }
        guard method.kind == .procedure else {
            throw Failure.usage("a query has no body; if \(method.nsid) is a procedure, add -X procedure")
        }
        return Draft(input: try named(values, .query), fields: fields)
    }

    private func request(
        _ method: NamedMethod, _ draft: Draft, of owner: RepositoryOwner?, _ lexicons: KnownLexicons
    ) throws -> XRPCRequest {
        let nsid = method.nsid
        guard let input else {
            var named = draft.input
            if method.kind == .procedure, let owner {
                named.body = try owner.body(named.body, of: nsid, lexicons)
            }
            var request = XRPCRequest(method.kind, nsid, input: named, headerFields: draft.fields)
            request.isForeignQuery = method.isForeign && method.kind == .query
            return request
        }
        let body = try BodyInput(input)
        return XRPCRequest(
            .procedure, nsid, parameters: draft.input.parameters, body: .stream(body),
            contentType: contentType ?? body.mediaType(of: input, for: nsid), headerFields: draft.fields)
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
