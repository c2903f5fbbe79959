import ATPNetworking
import Foundation
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import BskyAuthServer

@Suite struct OutsideTransportTests {
    @Test(
        "a handle that leads to this server gets no request",
        arguments: [
            ("https://auth.example.com/.well-known/oauth-protected-resource", true),
            ("https://auth.example.com:443/x?y", true), ("https://auth.example.com:8443/x", false),
            ("https://example.com/x", false),
        ])
    func ownAddress(_ url: String, _ isOwn: Bool) async throws {
        let network = Network()
        let own = try HTTPURL(validating: "https://auth.example.com").origin
        let metrics = Metrics()
        let transport = OutsideTransport(network, own: own, metrics: metrics, log: Logger(label: "test")) {
            Date()
        }
        let request = TransportRequest(method: .get, url: try HTTPURL(validating: url))
        if isOwn {
            let error = await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
            #expect(error?.requestWasSent == false)
        } else {
            #expect(try await transport.send(request).status == 204)
        }
        #expect(network.requests.withLock(\.self) == (isOwn ? 0 : 1))
        for (result, count) in [
            ("ok", isOwn ? 0 : 1), ("refused", 0), ("not_sent", isOwn ? 1 : 0), ("no_answer", 0),
        ] {
            #expect(
                metrics.text.contains("bskyauth_outgoing_requests_total{result=\"\(result)\"} \(count)\n"))
        }
    }

    @Test("the log says why a server can't be reached, once a minute for each server") func reasons()
        async throws
    {
        let (network, lines) = (Network(), Lines())
        let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        let transport = OutsideTransport(
            network, own: try HTTPURL(validating: "https://auth.example.com").origin,
            metrics: Metrics(), log: Logger(label: "test") { _ in lines }
        ) { time.withLock(\.self) }
        func fail(_ url: String, _ code: TransportError.Code, _ detail: String? = nil) async throws {
            network.failure.withLock {
                $0 = TransportError(code, requestWasSent: false, url: url, detail: detail)
            }
            let request = TransportRequest(method: .get, url: try HTTPURL(validating: url))
            await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
        }
        try await fail("https://a.example/x?secret", .untrusted, "unable to get local issuer certificate")
        try await fail("https://a.example/y", .untrusted)
        try await fail("https://b.example/x", .nameNotResolved)
        try await fail("https://c.example/x", .refused(.privateAddress))
        try await fail("https://auth.example.com/x", .timedOut)
        try await fail("https://d.example/x", .cancelled)
        time.withLock { $0 += 60 }
        try await fail("https://a.example/z", .timedOut)
        let texts = lines.texts.withLock(\.self)
        #expect(
            texts.prefix(2) == [
                "a request failed: the certificate of https://a.example/x is not trusted (unable to get local issuer certificate)",
                "a request failed: the name of https://b.example/x could not be resolved",
            ])
        #expect(texts.dropFirst(2).map { $0.contains("may not be contacted") } == [true, true, false])
        #expect(texts.last == "a request failed: https://a.example/z did not answer in time")
        #expect(!texts.joined().contains("secret"))
    }
}

/// What was logged.
private final class Lines: LogHandler {
    let texts = Mutex<[String]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        texts.withLock { $0.append("\(event.message)") }
    }
}

/// A network in which every request is answered, or fails.
private final class Network: HTTPTransport {
    let requests = Mutex(0)
    let failure = Mutex<TransportError?>(nil)

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        requests.withLock { $0 += 1 }
        if let failure = failure.withLock(\.self) { throw failure }
        return TransportResponse(status: 204, headerFields: [:], body: ResponseBody([]))
    }
}
