internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore

/// How a call is tried again.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How often to send a query, or a procedure that may be called twice, again: after rate limits, \
            failures of the server and of the network.
            """, valueName: "n"))
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "With --retry: wait no longer than this for a request, all its waits together (default: 2m).",
            valueName: "time"))
    var maxWait: TimeLength?

    /// The caller that does so for a call, or the one given where it was not asked for.
    func caller(
        _ caller: some Caller, for request: XRPCRequest, _ context: CommandContext
    ) throws(Failure) -> any Caller {
        guard let retry else {
            guard maxWait == nil else { throw .usage("--max-wait goes with --retry") }
            return caller
        }
        guard retry >= 0 else { throw .usage("--retry takes a number from 0") }
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
