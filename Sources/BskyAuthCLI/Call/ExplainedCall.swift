internal import ATPNetworking
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore

/// Makes calls. A response that is an error is shown if the options ask for it, and its failure says what the lexicons
/// know about it.
struct ExplainedCall {
    let client: any XRPCClient
    /// What the lexicons say about a call.
    let check: (XRPCRequest) -> LexiconCheck
    /// Whether the user has read these doubts before the call was sent.
    let saidDoubts: Bool
    let writer: AnswerWriter

    func send(_ request: XRPCRequest) async throws -> TransportResponse {
        do {
            return try await client.call(request)
        } catch let error as CoreError {
            guard case .callRefused(let refusal) = error else { throw error }
            try await writer.write(error: refusal.response)
            var failure = ErrorPresenter.failure(refusal)
            let isAboutMethod = refusal.error.saysWrongMethod || refusal.error.saysUnknownMethod
            if failure.status == .refused, !isAboutMethod, let hint = hint(for: request, refusal.error) {
                failure.hint = hint
            }
            throw failure
        } catch let error {
            guard !request.isIdempotent, let known = error as? any KnownError, known.callMayBeDone else {
                throw error
            }
            throw ErrorPresenter.mayBeDone(request, ErrorPresenter.failure(for: error))
        }
    }

    /// The next step after a refusal, if the request shows what may be wrong.
    private func hint(for request: XRPCRequest, _ error: XRPCError) -> String? {
        let isJSON = request.contentType == "application/json"
        if case .stream = request.body, WriteDefaults.apply(to: request.nsid),
            !isJSON || error.message?.contains("repo") != false
        {
            return ErrorPresenter.nextStep(refusedBody: request.nsid, isJSON: isJSON)
        }
        return saidDoubts ? nil : check(request).hint
    }
}
