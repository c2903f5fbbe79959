internal import ATPJSON
internal import ATPNetworking
package import ATProtoSessions
internal import ATProtoXRPC
internal import FoundationEssentials

/// Asks an account's server for tokens with which the account calls other services (protocol:X13).
package struct ServiceTokenFlow: Sendable {
    private let environment: SessionEnvironment
    private let account: Account
    private let client: AccountXRPCClient

    package init(_ environment: SessionEnvironment, as account: Account, lockTimeout: Duration) {
        self.environment = environment
        self.account = account
        client = AccountXRPCClient(environment, as: account, lockTimeout: lockTimeout)
    }

    /// A new token. Its time counts by the server's clock. If the response's `Date` shows that this clock was not known,
    /// the token is asked for once more.
    ///
    /// - Parameter most: how long to wait for another process; nil for the usual limits.
    /// - Throws: ``CoreError/serviceTokenRefused(_:_:)``, or ``CoreError/wrongServiceToken(_:_:)`` for a token that was
    ///   not asked for.
    package func token(
        for request: ServiceTokenRequest, waiting most: Duration? = nil
    ) async throws -> ServiceToken {
        var now = Int64(
            account.serverTime(at: environment.network.wallClock.now, caches: environment.network.caches)
                .timeIntervalSince1970)
        var call = request.call(expiry: now + request.longestLife)
        var response = try await client.send(call, waiting: most)
        if let time = response.headerFields.serverTime, abs(time - now) > Self.noise,
            [200, 400].contains(response.status)
        {
            response.body.cancel()
            now = time
            call = request.call(expiry: now + request.longestLife)
            response = try await client.send(call, waiting: most)
        }
        return try await token(in: response, to: call, request, now)
    }

    private func token(
        in response: TransportResponse, to call: XRPCRequest, _ request: ServiceTokenRequest, _ now: Int64
    ) async throws -> ServiceToken {
        let body: [UInt8]
        do {
            body = try await client.accept(response, to: call).body.collect(upTo: Self.longestAnswer)
        } catch CoreError.callRefused(let refusal) {
            throw CoreError.serviceTokenRefused(refusal, request)
        }
        do {
            let text = (try? JSONParser.parse(body))?["token"]?.string
            return try ServiceToken(
                text ?? "", for: request, of: account.did, now: now, expiry: now + request.longestLife)
        } catch let problem {
            throw CoreError.wrongServiceToken(account, problem)
        }
    }

    /// How many seconds a clock may seem to be off because a response took long.
    static let noise: Int64 = 10
    private static let longestAnswer = 65536
}

extension ServiceTokenRequest {
    /// The lifetime in seconds. No server gives a token for more than an hour, and its clock is not known to the second.
    fileprivate var longestLife: Int64 { min(lifetime.components.seconds, 3600 - ServiceTokenFlow.noise) }
}
