package import ATPNetworking
package import ATProtoSessions
package import ATProtoXRPC
internal import FoundationEssentials
internal import HTTPTypes

/// Sends a call again after temporary failures, if the user asked for retries.
///
/// Only for calls that can safely be sent twice: ``XRPCRequest/isIdempotent``.
package struct RetryFlow: Sendable {
    /// Information for the user that a call will be sent again.
    package struct Notice: Sendable {
        package enum Reason: Sendable {
            /// The status of the server's response.
            case status(Int)
            /// The network failed.
            case failure(any KnownError)
        }

        package let reason: Reason
        package let wait: Duration
        /// The number of the retry, from 1.
        package let repetition: Int
    }

    private let policy: RetryPolicy
    private let clock: any WallClock
    private let notify: @Sendable (Notice) -> Void

    /// - Parameter notify: is called before every wait.
    package init(
        _ policy: RetryPolicy, clock: any WallClock, notify: @escaping @Sendable (Notice) -> Void
    ) {
        self.policy = policy
        self.clock = clock
        self.notify = notify
    }

    /// Sends the call until the result is final or the policy allows no more retries. Returns the last response or
    /// throws the last error.
    ///
    /// - Parameter send: receives the rest of the longest wait. If the account is busy, the time that it was waited for
    ///   counts.
    package func send(
        _ send: (_ rest: Duration) async throws -> TransportResponse
    ) async throws -> TransportResponse {
        var waited = Duration.zero
        var repetition = 0
        while true {
            repetition += 1
            let (rest, beginning) = (policy.longestWait - waited, clock.now)
            let outcome = try await outcome { try await send(rest) }
            if case .failure(let error as any KnownError) = outcome, error.retry == .whenFree {
                waited += .seconds(max(0, clock.now.timeIntervalSince(beginning)))
            }
            guard let (reason, requested) = passingTrouble(outcome),
                let wait = policy.wait(before: repetition, requested: requested, waited: waited)
            else { return try outcome.get() }
            if case .success(let response) = outcome { response.body.cancel() }
            notify(Notice(reason: reason, wait: wait, repetition: repetition))
            try await clock.wait(until: clock.now.addingTimeInterval(wait / .seconds(1)))
            waited += wait
        }
    }

    private func outcome(
        _ send: () async throws -> TransportResponse
    ) async throws -> Result<TransportResponse, any Error> {
        do { return .success(try await send()) } catch let error as any KnownError { return .failure(error) }
    }

    /// The temporary failure and the wait that the server asks for; nil for a final result.
    private func passingTrouble(
        _ outcome: Result<TransportResponse, any Error>
    ) -> (reason: Notice.Reason, requested: Duration?)? {
        switch outcome {
        case .success(let response):
            let error = XRPCError(status: response.status, headerFields: response.headerFields, body: [])
            guard error.isTransient else { return nil }
            let now = response.headerFields.serverTime ?? Int64(clock.now.timeIntervalSince1970)
            return (.status(response.status), error.requestedWait(from: now))
        case .failure(let error as any KnownError):
            switch error.retry {
            case .at(let time):
                return (.failure(error), .seconds(max(0, time.timeIntervalSince(clock.now))))
            case .soon, .whenFree: return (.failure(error), nil)
            case nil: return nil
            }
        case .failure: return nil
        }
    }
}
