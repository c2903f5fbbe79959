import ATPNetworking
import ATProtoIdentity
import Logging
import Synchronization
import Testing

@testable import BskyAuthCLI

@Suite("The steps that -v shows") struct LoggedStepsTests {
    /// Collects lines. The times in them become `TIME`.
    private final class Lines: LogHandler {
        let lines = Mutex<[String]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .debug }
            set {}
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) {
            lines.withLock { $0.append("\(event.message)".replacing(/\d+ ms/, with: "TIME")) }
        }
    }

    @Test("have the TXT records, with their source and time")
    func textRecords() async throws {
        for (answer, words) in [
            (.success(["did=did:plc:a", "v=spf1"]), "did=did:plc:a, v=spf1"), (.success([]), "no record"),
            (.failure(TextRecordError(.noAnswer)), "noAnswer"),
        ] as [(Result<[String], TextRecordError>, String)] {
            let lines = Lines()
            let records = LoggedTextRecords(
                resolver: FixedTextRecords(answer: answer), source: "DNS",
                log: Logger(label: "test") { _ in lines })
            let found = try? await records.textRecords(for: "_atproto.alice.test")
            #expect(found == (try? answer.get()))
            #expect(lines.lines.withLock { $0 } == ["DNS TXT _atproto.alice.test: \(words) (TIME)"])
        }
    }

    private struct FixedTextRecords: TextRecordResolver {
        let answer: Result<[String], TextRecordError>

        func textRecords(for name: String) async throws(TextRecordError) -> [String] { try answer.get() }
    }
}
