internal import ATPNetworking
package import ATProtoSessions
package import OAuthDPoP
internal import Synchronization

/// A login between the browser and the token request. It consumes its state once and gives every caller the same
/// result.
///
/// The listener and the paste prompt both bring redirects here. The first redirect with the right state starts the
/// exchange. A reload, a second callback or a late paste gets the result of that exchange and never starts another.
package actor LoginInProgress {
    /// The exchange that follows a redirect of this login.
    typealias Completion = @Sendable (AuthorizationCode) async throws -> LoginOutcome

    private enum Phase {
        /// The listener is bound, and the authorization request is not pushed yet.
        case preparing
        case waiting(state: State, issuer: Issuer, complete: Completion)
        case completing(Task<LoginOutcome, any Error>)
        case over(Result<LoginOutcome, any Error>)
    }

    private var phase = Phase.preparing
    private var waiters: [CheckedContinuation<Result<LoginOutcome, any Error>, Never>] = []

    init() {}

    /// Accepts redirects from now on, because the authorization request is pushed.
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
                let response = try AuthorizationResponse(
                    query: query, expectedState: state, issuer: issuer, needsIssuer: true)
                // From here on the state is consumed, even if the exchange fails.
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

    /// Takes a pasted redirect URL or its query.
    ///
    /// - Returns: why it is no redirect of this login, so that the user can paste another one; nil if it decides the login.
    package func receive(pasted text: String) async -> AuthorizationResponseError? {
        let query = Self.query(ofPasted: text)
        if let error = foreignness(ofQuery: query) { return error }
        _ = await receive(query: query)
        return nil
    }

    /// The query of a URL, or its fragment if it has no query: a client's page gets the answer there.
    private static func query(ofPasted text: String) -> String {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let beforeFragment = parts[0]
        if let mark = beforeFragment.firstIndex(of: "?") {
            return String(beforeFragment[beforeFragment.index(after: mark)...])
        }
        return String(parts.count == 2 ? parts[1] : beforeFragment)
    }

    /// Why a query does not belong to this login; nil if it does, or if the login no longer waits.
    private func foreignness(ofQuery query: String) -> AuthorizationResponseError? {
        guard case .waiting(let state, let issuer, _) = phase else { return nil }
        do throws(AuthorizationResponseError) {
            _ = try AuthorizationResponse(
                query: query, expectedState: state, issuer: issuer, needsIssuer: true)
            return nil
        } catch {
            return error.belongsToThisRequest ? nil : error
        }
    }

    /// Ends the wait because of the time limit or because the user declined. An exchange that has begun continues.
    package func giveUp(_ reason: any KnownError) {
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
