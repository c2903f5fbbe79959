package import ATProto
internal import FoundationEssentials
internal import HTTPTypes
package import Networking

/// Sends a call again after answers and failures that may pass, where somebody asked for that.
///
/// Only for calls of which a second one does no harm: ``XRPCRequest/isIdempotent``.
package struct RetryFlow: Sendable {
    /// That a call will be sent again, for people to be told.
    package struct Notice: Sendable {
        package enum Reason: Sendable {
            /// What the server answered.
            case status(Int)
            /// The network was in the way.
            case failure(any KnownError)
        }

        package let reason: Reason
        package let wait: Duration
        /// Which repetition it will be, from 1.
        package let repetition: Int
    }

    private let policy: RetryPolicy
    private let clock: any WallClock
    private let notify: @Sendable (Notice) -> Void

    /// - Parameter notify: is told before every wait.
    package init(
        _ policy: RetryPolicy, clock: any WallClock, notify: @escaping @Sendable (Notice) -> Void
    ) {
        self.policy = policy
        self.clock = clock
        self.notify = notify
    }

    /// Sends until there is an answer that stands, or until the policy ends it; then with the last answer or
    /// failure.
    package func send(
        _ send: () async throws -> TransportResponse
    ) async throws -> TransportResponse {
        var waited = Duration.zero
        var repetition = 0
        while true {
            repetition += 1
            let outcome = try await outcome(of: send)
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
        of send: () async throws -> TransportResponse
    ) async throws -> Result<TransportResponse, any Error> {
        do { return .success(try await send()) } catch let error as any KnownError { return .failure(error) }
    }

    /// What stands in the way and may pass, and the wait that the server asks for; nil for everything else.
    private func passingTrouble(
        _ outcome: Result<TransportResponse, any Error>
    ) -> (reason: Notice.Reason, requested: Duration?)? {
        switch outcome {
        case .success(let response):
            let error = XRPCError(status: response.status, headerFields: response.headerFields, body: [])
            guard error.isTransient else { return nil }
            let now = response.headerFields.serverTime ?? Int64(clock.now.timeIntervalSince1970)
            return (.status(response.status), error.requestedWait(from: now))
        case .failure(let error as any KnownError) where error.isNetworkFailure: return (.failure(error), nil)
        case .failure: return nil
        }
    }
}
