internal import ATPNetworking
internal import ATProtoSessions
internal import BskyAuthLoopback
internal import FoundationEssentials

/// A login that waits for its redirect (protocol:L15).
actor LoopbackLogin {
    /// Nil while the login goes on.
    typealias Outcome = Result<Account, ATProtoFailure>?

    private let client: ATProtoClient
    private var pending: PendingLogin?
    /// The newest of the steps, which run one after the other.
    private var last: Task<Outcome, Never>?
    private let results: AsyncStream<Result<Account, ATProtoFailure>>
    private let feed: AsyncStream<Result<Account, ATProtoFailure>>.Continuation

    init(_ client: ATProtoClient) {
        self.client = client
        (results, feed) = AsyncStream.makeStream()
    }

    /// Tries the query of a redirect, and makes the page of the browser once it is known what became of it.
    func receive(_ query: String) async -> RedirectReply {
        guard let pending else { return .stranger }
        let client = client
        return
            switch await step({
                do throws(ATProtoFailure) {
                    return .success(try await client.complete(pending, redirect: "?\(query)"))
                } catch {
                    return error.code == .foreignRedirect ? nil : .failure(error)
                }
            })
        {
        case nil: .stranger
        case .success?: .success
        case .failure?: .failure
        }
    }

    /// Shows the page, and waits for the end of the login.
    nonisolated func result(
        of pending: PendingLogin, in timeLimit: Duration,
        _ open: @escaping @Sendable (HTTPURL) async throws -> Void
    ) async -> Result<Account, ATProtoFailure> {
        let clock = client.clock
        let deadline = clock.now.addingTimeInterval(timeLimit / .seconds(1))
        await wait(for: pending)
        return await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    // This sleep is usually cancelled.
                    guard (try? await clock.sleep(until: deadline)) != nil else { return }
                    await self.giveUp(
                        ATProtoFailure(.timedOut, "the login was not completed within \(timeLimit)"))
                }
                group.addTask {
                    do { try await open(pending.url) } catch {
                        await self.giveUp(ATProtoFailure(userAgent: error))
                    }
                }
                let result = await self.end()
                group.cancelAll()
                return result
            }
        } onCancel: {
            Task { await self.giveUp(ATProtoFailure(CancellationError())) }
        }
    }

    private func wait(for pending: PendingLogin) { self.pending = pending }

    /// Ends the login, unless a redirect that came before does it.
    private func giveUp(_ reason: ATProtoFailure) async {
        _ = await step { .failure(reason) }
    }

    /// Runs a step after those before, unless one of them has ended the login.
    private func step(_ run: @escaping @Sendable () async -> Outcome) async -> Outcome {
        let before = last
        let step = Task { () async -> Outcome in
            if let outcome = await before?.value { return outcome }
            return await run()
        }
        last = step
        let outcome = await step.value
        if let outcome { feed.yield(outcome) }
        return outcome
    }

    /// The outcome. The wait itself is never cancelled, because `giveUp` ends it.
    private nonisolated func end() async -> Result<Account, ATProtoFailure> {
        let results = results
        return await Task {
            for await result in results { return result }
            return .failure(ATProtoFailure(CancellationError()))
        }.value
    }
}

extension RedirectReply {
    fileprivate static let success = page(
        200, "You are logged in. You can close this page and go back to the program.")
    fileprivate static let failure = page(400, "The login failed. Go back to the program to see why.")
    fileprivate static let stranger = page(
        400, "This page does not belong to the login that is waiting. Go back to the program.")

    private static func page(_ status: Int, _ words: String) -> RedirectReply {
        RedirectReply(
            status: status,
            html: Array("<!doctype html><meta charset=utf-8><title>Login</title><p>\(words)".utf8))
    }
}
