package import ATProtoIdentity
import Synchronization

/// DNS as a table. A name that is not in the table has no records.
package final class ScriptedTextRecords: TextRecordResolver {
    package typealias Answer = Result<[String], TextRecordError>

    private let table: Mutex<[String: Answer]>

    package init(_ table: [String: Answer] = [:]) {
        self.table = Mutex(table)
    }

    package func set(_ name: String, _ texts: [String]) {
        table.withLock { $0[name] = .success(texts) }
    }

    package func textRecords(for name: String) async throws(TextRecordError) -> [String] {
        try table.withLock { $0[name] ?? .success([]) }.get()
    }
}
