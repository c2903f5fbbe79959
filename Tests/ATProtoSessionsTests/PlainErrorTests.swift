import ATPNetworking
import ATProtoIdentity
import BskyAuthRows
import BskyAuthTestSupport
import Foundation
import Logging
import OAuthDPoP
import Synchronization
import Testing

@testable import ATProtoSessions

@Suite("Errors") struct PlainErrorTests {
    static let errors: [any Error & CustomStringConvertible] = [
        ATProtoFailure(.notRefreshed, "the session could not be refreshed"),
        StoreError(.busy),
        TransportError(.timedOut, requestWasSent: true, url: "https://pds.test/xrpc/a?secret=1"),
        IdentityError.notFound("alice.test"), IdentityError.unavailable("alice.test"),
        TextRecordError.noAnswer, TextRecordError.malformed,
        RowStoreError("the table is missing", outcome: .notDone),
    ]

    @Test("say the same to an app that shows localizedDescription", arguments: errors.indices)
    func localized(index: Int) {
        let error = Self.errors[index]
        #expect((error as any Error).localizedDescription == error.description)
        #expect(!error.description.contains("("))
    }

    @Test("of OAuth keep the server's message apart from their own words") func serverWords() throws {
        let error = try #require(throws: OAuthFailure.self) {
            _ = try OAuthClient(
                issuer: "no URL", clientID: "c", redirectURI: "r", scope: "s", transport: Unused())
        }
        #expect((error as any Error).localizedDescription == error.description)
        #expect(error.errorDescription == nil)

        var failure = ATProtoFailure(.refused, "the server answered 400")
        failure.errorDescription = "Refresh token replayed"
        #expect((failure as any Error).localizedDescription == "the server answered 400")
        #expect(failure.localizedDescription == "the server answered 400")
        #expect(failure.errorDescription == "Refresh token replayed")
    }

    @Test("that change nothing go to the log of the client, in plain words and without secrets")
    func log() async throws {
        let world = try await ClientWorld()
        world.transport.answer(ClientWorld.revocation, .failure(.notConnected))
        let lines = Lines()
        let client = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback", scope: "atproto"), store: world.store,
            transport: world.transport,
            identities: NetworkIdentities(transport: world.transport, textRecords: nil),
            log: Logger(label: "app") { _ in lines })
        await client.endReplaced(try await world.store.session(world.account.id), of: world.account)
        let written = lines.written.withLock { $0 }
        #expect(written.count == 1)
        #expect(written.first?.contains("the replaced session was not revoked") == true)
        #expect(written.first?.contains("there is no connection to") == true)
        #expect(written.first?.contains("first") == false)
    }

    private struct Unused: HTTPTransport {
        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            throw TransportError(.cancelled, requestWasSent: false)
        }
    }

    private final class Lines: LogHandler {
        let written = Mutex<[String]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) {
            let facts = (event.metadata ?? [:]).map { "\($0)=\($1)" }.joined(separator: " ")
            written.withLock { $0.append("\(event.message) \(facts)") }
        }
    }
}
