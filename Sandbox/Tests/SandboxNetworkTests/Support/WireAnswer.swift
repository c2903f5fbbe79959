@testable import SandboxNetwork

/// An answer as it was received.
struct WireAnswer: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    var error: String? { json["error"]?.string }
    var nonce: String? { header("dpop-nonce") }

    /// The parameters of the redirect, in order.
    var redirectParameters: [(name: String, value: String)] {
        guard let location = header("location"), let mark = location.firstIndex(where: { "?#".contains($0) })
        else { return [] }
        return FormBody(urlencoded: location[location.index(after: mark)...]).fields
    }
}
