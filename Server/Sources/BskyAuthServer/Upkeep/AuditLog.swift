internal import BskyAuthRows
internal import BskyAuthServerSupport
internal import FoundationEssentials
internal import Glibc
internal import Logging

/// Who logged in and out, and what ended a session: one line of JSON for each event, in one file for each day.
///
/// A line has no secret, and names a person only by a pseudonym. A row says whose it is, and goes when the person is to be
/// forgotten. Then the lines stay, and belong to somebody unknown.
struct AuditLog: Sendable {
    let folder: String
    let settings: AuditSettings
    let rows: any RowStore
    let log: Logger
    let now: @Sendable () -> Date

    enum Event: String, Codable {
        case login
        case loginFailed = "login_failed"
        case logout
        case logoutAll = "logout_all"
        case logoutEverywhere = "logout_everywhere"
        /// The server of the account has ended its OAuth session.
        case accountEnded = "account_ended"
        case sessionExpired = "session_expired"
        case endedByOperator = "ended_by_operator"
        case forgotten
    }

    struct Line: Codable, Sendable {
        let time: String
        let event: Event
        var person: String?
        var account: UUID?
        var session: UUID?
        var app: String?
        var client: String?
        var reason: String?
        /// Added when a person reads the log.
        var did: String?
    }

    /// Writes a line. What is logged has happened already, so a failure is told to the operator and stops nothing.
    func write(
        _ event: Event, did: String? = nil, account: UUID? = nil, session: UUID? = nil, app: String? = nil,
        client: Client? = nil, reason: String? = nil
    ) async {
        let time = now()
        do {
            let line = Line(
                time: time.ISO8601Format(), event: event,
                person: try await did.asyncMap { try await pseudonym(of: $0, isNew: event == .login) },
                account: account,
                session: session, app: app, client: settings.hasAddresses ? client?.description : nil,
                reason: reason)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try PrivateFiles.prepare(folder: folder)
            try PrivateFiles.append(
                line: String(decoding: try encoder.encode(line), as: UTF8.self), to: file(of: time))
        } catch {
            log.error("the audit log lacks an event: \(error)", metadata: ["event": "\(event.rawValue)"])
        }
    }

    /// Removes the files whose time is over.
    func removeOld() throws {
        guard FileManager.default.fileExists(atPath: folder) else { return }
        let first = file(of: now() - Double(settings.days) * 86400)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where Self.isFile(name) && "\(folder)/\(name)" < first {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    /// Every line that can still be read, the oldest first, with the DID of each person who is known.
    func read() async throws -> [Line] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        var people: [String: String] = [:]
        for row in try await rows.all(Self.prefix) {
            let person = try RowCoding.decode(Person.self, row)
            people[person.pseudonym] = person.did
        }
        var lines: [Line] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where Self.isFile(name) {
            let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
            for text in bytes.split(separator: 0x0a) {
                // A line that was cut off by a full disk is left out.
                guard var line = try? JSONDecoder().decode(Line.self, from: Data(text)) else { continue }
                line.did = line.person.flatMap { people[$0] }
                lines.append(line)
            }
        }
        return lines
    }

    // MARK: People

    private struct Person: Codable {
        let pseudonym: String
        let did: String
    }

    private static let prefix = "person/"

    /// - Parameter isNew: whether to give one to a person who has none. Somebody who was forgotten stays so until the next login.
    private func pseudonym(of did: String, isNew: Bool) async throws -> String? {
        let key = Self.prefix + Digest.text(of: did)
        while true {
            if let row = try await rows.get(key) { return try RowCoding.decode(Person.self, row).pseudonym }
            guard isNew else { return nil }
            let person = Person(pseudonym: "p-" + RandomText.make().prefix(12), did: did)
            _ = try await rows.put(key, try RowCoding.encode(person), if: .absent)
        }
    }

    /// Forgets whose the lines of a person are.
    func forget(_ did: String) async throws {
        try await rows.delete(Self.prefix + Digest.text(of: did), if: .always)
    }

    // MARK: Files

    private func file(of time: Date) -> String { "\(folder)/\(time.ISO8601Format().prefix(10)).jsonl" }

    private static func isFile(_ name: String) -> Bool {
        name.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl/) != nil
    }
}

/// The settings of the audit log.
package struct AuditSettings: Sendable {
    /// How many days a line is kept.
    package let days: Int
    /// Whether a line has the address of the client.
    package let hasAddresses: Bool

    init(reading reader: ConfigurationReader) throws(ConfigurationError) {
        days = try reader.number("days", default: 90)
        hasAddresses = try reader.flag("addresses", default: false)
        try reader.refuseOthers()
    }
}

extension Optional {
    fileprivate func asyncMap<Value>(
        _ transform: (Wrapped) async throws -> Value?
    ) async rethrows -> Value? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
