internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC

extension CallCommand {
    /// The longest body that is read for `--facets`, in bytes.
    private static let longestFacetBody = 1 << 20

    /// The request with the facets of its texts, which are found in the body as it would be sent.
    ///
    /// - Parameter network: finds the accounts that are mentioned; nil where nothing may be sent.
    func addingFacets(
        to request: XRPCRequest, _ context: CommandContext, _ network: () throws -> NetworkEnvironment?
    ) async throws -> XRPCRequest {
        let body = try await facetBody(of: request)
        let found: WriteFacets
        do { found = try WriteFacets(body, of: request.nsid) } catch { throw Self.failure(error) }
        var dids: [Handle: DID] = [:]
        let console = context.console
        if !found.handles.isEmpty, let identities = try network()?.identities {
            for handle in found.handles {
                do {
                    dids[handle] = try await identities.resolve(.handle(handle), freshness: .now).did
                } catch {
                    if Task.isCancelled { throw SessionFailure.cancelled }
                    if error.networkFailed { throw Self.notLookedUp(handle, error) }
                    console.say("@\(handle) stays text: \(ErrorPresenter.failure(error).message)")
                }
            }
        } else {
            found.handles.forEach { console.say("@\($0) stays text here: --dry-run looks up no handle") }
        }
        for word in found.almostMentions {
            console.say(
                "@\(word.escapedForTerminal) stays text: .\(word.split(separator: ".").last ?? "") is no top-level domain"
            )
        }
        var request = request
        request.body = .bytes(Array(JSONValue.object(found.body(naming: dids)).text.utf8))
        return request
    }

    private func facetBody(of request: XRPCRequest) async throws -> JSONObject {
        let bytes: [UInt8]?
        switch request.body {
        case .none: throw Self.failure(.noRecord)
        case .bytes(let body): bytes = body
        case .stream(let source): bytes = try await source.collect(upTo: Self.longestFacetBody)
        }
        guard let bytes else { throw Failure.usage("--facets takes a body of at most 1 MiB") }
        guard let body = (try? JSONParser.parse(bytes))?.object else {
            throw Failure.usage("--facets takes a body that is a JSON object in UTF-8, with each name once")
        }
        return body
    }

    /// A mention whose account is not known only because of the network. The post would lack it for good.
    private static func notLookedUp(_ handle: Handle, _ error: IdentityError) -> Failure {
        var failure = ErrorPresenter.failure(error)
        failure.message = "nothing was written, because @\(handle) could not be looked up: \(failure.message)"
        failure.hint = "run the same command again later, or write \(handle) without @"
        return failure
    }

    private static func failure(_ problem: InvalidWriteFacets) -> Failure {
        let post = "bskyauth call com.atproto.repo.createRecord collection=app.bsky.feed.post"
        switch problem {
        case .noRecord:
            return Failure(
                .usage, "no_facets",
                "--facets is for com.atproto.repo.createRecord, putRecord and applyWrites with a record",
                hint: "\(post) 'record[text]=…' --facets")
        case .noText:
            return Failure(
                .usage, "no_facets", "--facets finds the facets of a record's \"text\", but there is none",
                hint: "\(post) 'record[text]=…' --facets")
        case .given(let name):
            return Failure(
                .usage, "facets_given", "\(name) is given, so --facets can't find the facets",
                hint: "leave out --facets or \(name)")
        }
    }
}

extension IdentityError {
    /// Whether a way to look the identifier up failed on the network, or at a server that may answer later.
    fileprivate var networkFailed: Bool {
        ([self] + alternatives).contains { error in
            switch error.code {
            case .transport(let cause): cause.mayPass
            case .textRecords: true
            case .status(let status): status == 429 || status >= 500
            default: false
            }
        } && kind == .unavailable
    }
}
