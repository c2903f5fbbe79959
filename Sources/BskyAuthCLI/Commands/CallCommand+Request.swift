internal import ATProto
internal import HTTPTypes
internal import Networking

extension CallCommand {
    /// Reads the command line into a request.
    ///
    /// - Parameter repo: the repository for a write that names none.
    func request(repo: DID?) throws -> XRPCRequest {
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
            case nil: PublicMethods.method(nsid)?.kind ?? XRPCMethod(inferredFrom: nsid)
            }
        var fields = HTTPFields()
        var values: [XRPCInput.Item] = []
        for item in items { try CallItem(parsing: item).add(to: &values, &fields) }
        for text in field { try CallItem(field: text).add(to: &values, &fields) }
        for text in file { try CallItem(file: text).add(to: &values, &fields) }
        for text in header {
            guard let colon = text.firstIndex(of: ":") else { throw Failure.usage("-H takes Name:value") }
            try CallItem.header(
                name: String(text[..<colon]), value: String(text[text.index(after: colon)...])
            )
            .add(to: &values, &fields)
        }
        try services.add(to: &fields)
        guard let input else {
            let named = try named(values, method, nsid, repo: repo)
            return XRPCRequest(method, nsid, input: named, headerFields: fields)
        }
        guard method == .procedure else {
            throw Failure.usage("a query has no body; if \(nsid) is a procedure, add -X procedure")
        }
        // The body is given, so the items belong to the query.
        return XRPCRequest(
            .procedure, nsid, parameters: try named(values, .query, nsid, repo: nil).parameters,
            body: .stream(try BodyInput(input)),
            contentType: contentType ?? BodyInput.mediaType(of: input, for: nsid),
            headerFields: fields)
    }

    private func named(
        _ values: [XRPCInput.Item], _ method: XRPCMethod, _ nsid: NSID, repo: DID?
    ) throws -> XRPCInput {
        do {
            return try XRPCInput(values, for: method, nsid, repo: repo)
        } catch let error {
            switch error {
            case .repeated(let name): throw Failure.usage("\"\(name.escapedForTerminal)\" is given twice")
            case .notAParameter(let name):
                throw Failure.usage(
                    "\"\(name.escapedForTerminal)\" is a query parameter, so it can't be an object or null")
            }
        }
    }
}
