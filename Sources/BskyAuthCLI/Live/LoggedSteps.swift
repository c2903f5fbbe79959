internal import ATPNetworking
internal import ATProtoIdentity
internal import HTTPTypes
internal import Logging

/// Logs every request: method, URL without its query, status, and the time to the header of the response.
struct LoggedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let log: Logger

    init(_ transport: any HTTPTransport, log: Logger) {
        self.transport = transport
        self.log = log
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let start = ContinuousClock.now
        let what = "\(request.method.rawValue) \(request.url.withoutQuery)"
        do {
            let response = try await transport.send(request)
            log.debug("\(what): \(response.status) (\(start.elapsed))")
            return response
        } catch let error {
            log.debug(
                "\(what): \(error.code) (\(start.elapsed))",
                metadata: error.detail.map { ["curl": "\($0)"] } ?? [:])
            throw error
        }
    }
}

/// Logs every look-up of TXT records, with its source and its time.
struct LoggedTextRecords: TextRecordResolver {
    let resolver: any TextRecordResolver
    let source: String
    let log: Logger

    func textRecords(for name: String) async throws(TextRecordError) -> [String] {
        let start = ContinuousClock.now
        do {
            let records = try await resolver.textRecords(for: name)
            let found = records.isEmpty ? "no record" : records.joined(separator: ", ")
            log.debug("\(source) TXT \(name): \(found) (\(start.elapsed))")
            return records
        } catch let error {
            log.debug("\(source) TXT \(name): \(error.code) (\(start.elapsed))")
            throw error
        }
    }
}

/// Logs what is found in the identity cache.
struct LoggedIdentityCache: IdentityCache {
    let cache: any IdentityCache
    let log: Logger

    func entry(for identifier: ATIdentifier) async -> IdentityCacheEntry? {
        let entry = await cache.entry(for: identifier)
        switch entry {
        case .did(let did): log.debug("cache: \(identifier) is \(did)")
        case .document: log.debug("cache: the DID document of \(identifier)")
        case .absent: log.debug("cache: \(identifier) does not exist")
        case nil: break
        }
        return entry
    }

    func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) async {
        await cache.store(entry, for: identifier, lifetime: lifetime)
    }

    func remove(_ identifier: ATIdentifier) async { await cache.remove(identifier) }
}

extension ContinuousClock.Instant {
    /// The time since then, in milliseconds.
    fileprivate var elapsed: String {
        "\(Int((duration(to: .now) / .milliseconds(1)).rounded())) ms"
    }
}
