internal import ATPCryptography
internal import ATPJSON
internal import ATPNetworking
internal import BskyAuthRows
internal import HTTPTypes
internal import Synchronization

/// Requests to the JSON gateway of an etcd cluster (etcd.io/docs/v3.4/dev-guide/api_grpc_gateway).
final class EtcdGateway: Sendable {
    private struct State {
        /// The node that answered last.
        var node = 0
        /// The session of the user; nil before the login.
        var token: String?
    }

    /// A page of rows of the longest values fits, in base64.
    private static let longestAnswer = 64 * 1024 * 1024

    private let cluster: EtcdCluster
    private let transport: any HTTPTransport
    private let state = Mutex(State())

    init(_ cluster: EtcdCluster, transport: any HTTPTransport) {
        self.cluster = cluster
        self.transport = transport
    }

    /// Reads, at the next node if one can't answer.
    func read(_ path: String, _ body: JSONValue) async throws(RowStoreError) -> JSONValue {
        try await ask(mayRepeat: { _ in true }) { node throws(EtcdFailure) in
            do throws(EtcdFailure) {
                return try await self.answer(path, body, at: node, isWrite: false)
            } catch {
                // A read changes nothing, whatever became of it.
                throw EtcdFailure(reading: error)
            }
        }
    }

    /// Writes. Another node is asked only if the write was not done.
    func write(_ path: String, _ body: JSONValue) async throws(RowStoreError) -> JSONValue {
        try await ask(mayRepeat: { $0.error.outcome == .notDone }) { node throws(EtcdFailure) in
            try await self.answer(path, body, at: node, isWrite: true)
        }
    }

    /// Opens a stream of answers, one in a line.
    func stream(_ path: String, _ body: JSONValue) async throws(RowStoreError) -> ResponseBody {
        try await ask(mayRepeat: { _ in true }) { node throws(EtcdFailure) in
            let request = try await self.request(path, body, at: node)
            return try await self.open(request, at: node).body
        }
    }

    // MARK: Nodes

    private func ask<Value: Sendable>(
        mayRepeat: (EtcdFailure) -> Bool, _ work: (Origin) async throws(EtcdFailure) -> Value
    ) async throws(RowStoreError) -> Value {
        let first = state.withLock { $0.node }
        var failure: EtcdFailure?
        for index in cluster.nodes.indices {
            let place = (first + index) % cluster.nodes.count
            do throws(EtcdFailure) {
                let value = try await loggedIn(cluster.nodes[place], work)
                state.withLock { $0.node = place }
                return value
            } catch {
                failure = error
                guard error.concernsNode, mayRepeat(error) else { throw error.error }
            }
        }
        throw failure?.error ?? RowStoreError("no node of etcd is named", outcome: .notDone)
    }

    /// Works again after a new login if etcd takes the token no longer: after some minutes, or after a change of users or
    /// roles. It has not done the work then.
    private func loggedIn<Value: Sendable>(
        _ node: Origin, _ work: (Origin) async throws(EtcdFailure) -> Value
    ) async throws(EtcdFailure) -> Value {
        do throws(EtcdFailure) { return try await work(node) } catch {
            guard error.needsLogin, cluster.credentials != nil else { throw error }
            state.withLock { $0.token = nil }
            return try await work(node)
        }
    }

    // MARK: Requests

    private func answer(
        _ path: String, _ body: JSONValue, at node: Origin, isWrite: Bool
    ) async throws(EtcdFailure) -> JSONValue {
        var request = try await request(path, body, at: node)
        // libcurl sends a POST again by itself if an older connection ends without an answer. A write must not be done twice:
        // its second sending would find the condition broken by the first.
        request.needsFreshConnection = isWrite
        request.timeouts = Timeouts(connect: cluster.timeLimit, total: cluster.timeLimit)
        let answer = try await json(open(request, at: node).body, at: node)
        // etcd leaves out what is false, zero or empty. Without this, any JSON of a proxy would say "no" or "no rows".
        guard answer["header"]?["revision"]?.decimal != nil else { throw .unreadable(node) }
        return answer
    }

    private func request(
        _ path: String, _ body: JSONValue, at node: Origin
    ) async throws(EtcdFailure) -> TransportRequest {
        var request = plainRequest(path, body, at: node)
        if let credentials = cluster.credentials {
            request.headerFields[.authorization] = try await token(credentials, at: node)
        }
        return request
    }

    private func plainRequest(_ path: String, _ body: JSONValue, at node: Origin) -> TransportRequest {
        var request = TransportRequest(
            method: .post, url: HTTPURL(origin: node, path: path),
            headerFields: [.contentType: "application/json"], body: .bytes(Array(body.text.utf8)),
            timeouts: Timeouts(connect: cluster.timeLimit, total: nil, idle: .seconds(60)))
        request.clientCertificate = cluster.certificate
        return request
    }

    private func token(_ credentials: EtcdCluster.Credentials, at node: Origin) async throws(EtcdFailure)
        -> String
    {
        if let token = state.withLock({ $0.token }) { return token }
        let login: JSONValue = [
            "name": .string(credentials.user),
            "password": .string(String(decoding: credentials.password.bytes, as: UTF8.self)),
        ]
        var request = plainRequest("/v3/auth/authenticate", login, at: node)
        request.timeouts = Timeouts(connect: cluster.timeLimit, total: cluster.timeLimit)
        do throws(EtcdFailure) {
            let answer = try await json(open(request, at: node).body, at: node)
            guard let token = answer["token"]?.string else { throw .unreadable(node) }
            state.withLock { $0.token = token }
            return token
        } catch {
            throw EtcdFailure(reading: error)
        }
    }

    /// Sends a request and returns its answer, if it is 200.
    private func open(_ request: TransportRequest, at node: Origin) async throws(EtcdFailure)
        -> TransportResponse
    {
        let response: TransportResponse
        let text: [UInt8]
        do {
            response = try await transport.send(request)
            if response.status == 200 { return response }
            text = try await response.body.beginning(upTo: 64 * 1024)
        } catch {
            throw EtcdFailure(error, node: node)
        }
        throw EtcdFailure(status: response.status, body: text, node: node)
    }

    private func json(_ body: ResponseBody, at node: Origin) async throws(EtcdFailure) -> JSONValue {
        let bytes: [UInt8]
        do { bytes = try await body.collect(upTo: Self.longestAnswer) } catch {
            throw EtcdFailure(error, node: node)
        }
        do { return try JSONParser.parse(bytes) } catch { throw .unreadable(node) }
    }
}
