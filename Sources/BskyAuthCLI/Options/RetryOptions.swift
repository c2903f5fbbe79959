internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore

/// The options for retries.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How often to retry after a rate limit, a server error or a network error. Only for queries and for \
            procedures that can safely be sent twice.
            """, valueName: "n"))
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "With --retry: the longest total wait for one request (default: 2m).",
            valueName: "time"))
    var maxWait: TimeLength?

    /// The caller with retries, or the given caller if no retries were requested.
    func caller(
        _ caller: some Caller, for request: XRPCRequest, _ context: CommandContext
    ) throws -> any Caller {
        guard let retry else {
            guard maxWait == nil else { throw Failure.usage("--max-wait needs --retry") }
            return caller
        }
        guard retry >= 0 else { throw Failure.usage("--retry takes a number of at least 0") }
        guard request.isIdempotent else { throw ErrorPresenter.notIdempotent(request.nsid) }
        let policy = RetryPolicy(
            retries: retry, longestWait: maxWait?.duration ?? .seconds(120))
        let console = context.console
        return RetryingCaller(
            caller: caller,
            retries: RetryFlow(policy, clock: context.clock) { notice in
                console.say(ErrorPresenter.words(notice, of: retry))
            })
    }
}
