internal import ATProtoXRPC
internal import ArgumentParser
internal import BskyAuthCore

/// The options for retries.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How often to retry after a rate limit, a server error or a network error. Only for queries and for \
            procedures that can safely be sent twice. 0 is never.
            """, valueName: "n"))
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "With --retry: the longest total wait for one request (default: 2m).",
            valueName: "time"))
    var maxWait: TimeLength?

    /// The retries that the user asked for; nil for none.
    ///
    /// - Parameter instruction: how to do the same with a call that can be sent twice.
    func policy(
        for request: XRPCRequest, instead instruction: @autoclosure () -> String? = nil
    ) throws -> RetryPolicy? {
        guard let retry else {
            guard maxWait == nil else { throw Failure.usage("--max-wait needs --retry") }
            return nil
        }
        guard retry >= 0 else { throw Failure.usage("--retry takes a number of at least 0") }
        guard retry > 0 else { return nil }
        guard request.isIdempotent else {
            throw ErrorPresenter.notIdempotent(request.nsid, instead: instruction())
        }
        return RetryPolicy(retries: retry, longestWait: maxWait?.duration ?? .seconds(120))
    }

    /// The options as they were given.
    var words: [String] {
        (retry.map { ["--retry", String($0)] } ?? [])
            + (maxWait.map { ["--max-wait", $0.defaultValueDescription] } ?? [])
    }

    /// The client with retries if the user asked for them.
    func client(
        _ client: any XRPCClient, for request: XRPCRequest, _ context: CommandContext
    ) throws -> any XRPCClient {
        guard let policy = try policy(for: request) else { return client }
        let console = context.console
        return RetryingXRPCClient(
            client,
            RetryFlow(policy, clock: context.clock) { notice in
                console.say(ErrorPresenter.words(notice, of: policy.retries))
            })
    }
}
