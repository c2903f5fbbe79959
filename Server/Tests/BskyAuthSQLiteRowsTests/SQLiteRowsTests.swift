import BskyAuthRows
import BskyAuthRowsConformance
import BskyAuthSQLiteRows
import Foundation
import GRDB
import Testing

@Suite struct SQLiteRowsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "rows-\(UUID())").path
    private let clock = CheckClock()

    private func open() throws -> SQLiteRows {
        try SQLiteRows(in: folder) { [clock] in clock.now }
    }

    private func removing<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await work()
    }

    @Test("keeps the rule", arguments: RowStoreCheck.all)
    func keeps(_ check: RowStoreCheck) async throws {
        try await removing { try await check.run(open(), clock) }
    }

    @Test("keeps the rule with several processes on the file", arguments: RowStoreCheck.all)
    func keepsTogether(_ check: RowStoreCheck) async throws {
        try await removing { try await check.run(RowStoreTurns([open(), open(), open()]), clock) }
    }

    @Test("finds the rows after it is opened again")
    func reopened() async throws {
        try await removing {
            let revision = try await open().put("a", [1], if: .absent)
            let again = try open()
            #expect(try await again.get("a")?.revision == revision)
            try await again.delete("a", if: .always)
            #expect(try await open().put("a", [1], if: .absent) != revision)
        }
    }

    @Test("only its owner may read the files")
    func modes() async throws {
        try await removing {
            let rows = try open()
            try await rows.put("a", [1], if: .absent)
            #expect(try mode(folder) == 0o700)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(files.count >= 2)
            for file in files { #expect(try mode(folder + "/" + file) == 0o600) }
        }
    }

    @Test("refuses files that others may read", arguments: ["", "/rows.sqlite"])
    func refusesOpenFiles(_ file: String) async throws {
        try await removing {
            try await open().put("a", [1], if: .absent)
            try FileManager.default.setAttributes([.posixPermissions: 0o740], ofItemAtPath: folder + file)
            let error = #expect(throws: RowStoreError.self) { try open() }
            #expect(error?.description.contains("chmod go= \(folder + file)") == true)
        }
    }

    @Test("refuses a file that is no database")
    func refusesAnother() async throws {
        try await removing {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = folder + "/rows.sqlite"
            try Data(repeating: 65, count: 8192).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            #expect(throws: RowStoreError.self) { try open() }
        }
    }

    @Test("a write that fails before its commit was not done")
    func notDone() async throws {
        try await removing {
            let rows = try open()
            try await rows.put("a", [1], if: .absent)
            let other = try DatabaseQueue(path: folder + "/rows.sqlite")
            try await other.write { db in
                try db.execute(
                    sql:
                        "CREATE TRIGGER refusal BEFORE DELETE ON rows BEGIN SELECT RAISE(ABORT, 'refused'); END"
                )
            }
            let error = await #expect(throws: RowStoreError.self) { try await rows.delete("a", if: .always) }
            #expect(error?.outcome == .notDone)
            #expect(try await rows.get("a")?.value == [1])
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
