import Foundation

@testable import SandboxNetwork

/// One recorded exchange of a server.
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

    /// The recordings of a profile's server.
    static func all(of profile: ServerProfile) -> [Int: Recording] {
        byServer[profile.name] ?? [:]
    }

    static var official: [Int: Recording] { all(of: .official) }

    private static let byServer: [String: [Int: Recording]] = Dictionary(
        uniqueKeysWithValues: ServerProfile.all.map { ($0.name, read($0.name)) })

    private static func read(_ server: String) -> [Int: Recording] {
        var result: [Int: Recording] = [:]
        let file = folder.appending(path: "\(server).jsonl")
        for line in (try? Data(contentsOf: file))?.split(separator: UInt8(ascii: "\n")) ?? [] {
            guard let json = try? JSONValue(parsing: Array(line)), let name = json["name"]?.string,
                let number = Int(name.prefix(3))
            else { continue }
            result[number] = Recording(number: number, name: "\(server) \(name)", json: json)
        }
        return result
    }

    private static let folder = URL(filePath: #filePath)
        .appending(path: "../../../../../Tests/Fixtures/transcripts").standardized
}

extension ServerProfile {
    /// The origin of the server that was recorded.
    var recordedOrigin: String { self.name == "official" ? "https://pds.test" : "https://\(name).test" }
}
