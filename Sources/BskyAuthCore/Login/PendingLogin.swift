internal import Networking
internal import OAuth
internal import Synchronization

/// A login between the browser and the token request: consumes its state once and gives everybody who asks
/// the same ending.
///
/// The listener and the paste prompt both bring redirects here. One with the right state starts the exchange;
/// a reload, a second callback or a late paste gets the result of that, never a second exchange.
package actor PendingLogin {
    /// What a redirect that belongs to this login is finished with.
    typealias Completion = @Sendable (AuthorizationCode) async throws -> LoginOutcome

    private enum Phase {
        /// The listener stands, the authorization request is not pushed yet.
        case preparing
        case waiting(state: State, issuer: Issuer, complete: Completion)
        case completing(Task<LoginOutcome, any Error>)
        case over(Result<LoginOutcome, any Error>)
    }

    private var phase = Phase.preparing
    private var waiters: [CheckedContinuation<Result<LoginOutcome, any Error>, Never>] = []

    init() {}

    /// The authorization request is pushed: from now on redirects are looked at.
    func await(state: State, issuer: Issuer, complete: @escaping Completion) {
        phase = .waiting(state: state, issuer: issuer, complete: complete)
    }

    /// Takes the query of a redirect.
    package func receive(query: String) async -> RedirectReceipt {
        switch phase {
        case .preparing: return .notOurs
        case .over(let result): return .settled(result)
        case .completing(let task): return .settled(await task.result)
        case .waiting(let state, let issuer, let complete):
            do {
                let response = try AuthorizationResponse(query: query, expectedState: state, issuer: issuer)
                // From here the state is spent, whatever comes of it.
                let task = Task { try await complete(response.code) }
                phase = .completing(task)
                let result = await task.result
                settle(result)
                return .settled(result)
            } catch let error {
                guard error.belongsToThisRequest else { return .notOurs }
                let result = Result<LoginOutcome, any Error>.failure(error)
                settle(result)
                return .settled(result)
            }
        }
    }

    /// Takes a redirect URL, or its query, that a person pasted.
    ///
    /// Unlike a stray visit to the listener this is meant for us, so one that is not ours ends the login.
    package func receive(pasted text: String) async {
        let query = text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) } ?? text
        let withoutFragment = String(query.prefix { $0 != "#" })
        if case .notOurs = await receive(query: withoutFragment), case .waiting = phase {
            settle(.failure(AuthorizationResponseError.stateMismatch))
        }
    }

    /// Ends the wait for another reason: time is up, or the person said no. An exchange under way goes on.
    package func giveUp(_ reason: CoreError) {
        switch phase {
        case .preparing, .waiting: settle(.failure(reason))
        case .completing, .over: break
        }
    }

    /// Suspends until the login is over.
    package func ending() async -> Result<LoginOutcome, any Error> {
        if case .over(let result) = phase { return result }
        return await withCheckedContinuation { waiters.append($0) }
    }

    private func settle(_ result: Result<LoginOutcome, any Error>) {
        phase = .over(result)
        for waiter in waiters { waiter.resume(returning: result) }
        waiters = []
    }
}
