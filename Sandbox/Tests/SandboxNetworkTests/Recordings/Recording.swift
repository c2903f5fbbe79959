import Foundation

@testable import SandboxNetwork

/// One recorded exchange of the official server.
struct Recording: Sendable {
    let number: Int
    let name: String
    let json: JSONValue

    var status: Int { (json["response"]?["status"] ?? json["status"])?.integer ?? 0 }
    var requestBody: String? { json["request"]?["body"]?.string }
    var body: JSONValue {
        (json["response"]?["body"]?.string).flatMap { try? JSONValue(parsing: Array($0.utf8)) } ?? .null
    }
    var redirect: String? { json["redirect"]?.string }
    var proofHeader: JSONValue? { json["decoded"]?["dpop"]?["header"] }
    var proofPayload: JSONValue? { json["decoded"]?["dpop"]?["payload"] }

    func requestHeader(_ name: String) -> String? { json["request"]?["headers"]?[name]?.string }

    func header(_ name: String) -> String? {
        let value = json["response"]?["headers"]?[name]
        return value?.string ?? value?.array.map { $0.compactMap(\.string).joined(separator: ", ") }
    }

    /// How far the proof's `iat` was ahead of the server's clock.
    var skew: Int {
        guard let issued = proofPayload?["iat"]?.integer, let date = header("date") else { return 0 }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return issued - Int((formatter.date(from: date) ?? .distantPast).timeIntervalSince1970)
    }

    /// All recordings of the official server, by number.
    static let official: [Int: Recording] = {
        var result: [Int: Recording] = [:]
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files where file.pathExtension == "json" {
            let name = file.deletingPathExtension().lastPathComponent
            guard let number = Int(name.prefix(3)), let data = try? Data(contentsOf: file),
                let json = try? JSONValue(parsing: [UInt8](data))
            else { continue }
            result[number] = Recording(number: number, name: name, json: json)
        }
        return result
    }()

    private static let folder = URL(filePath: #filePath)
        .appending(path: "../../../../../Tests/Fixtures/transcripts/official").standardized
}
