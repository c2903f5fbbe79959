internal import ATPJSON
internal import ATPNetworking
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore
internal import HTTPTypes
internal import OAuthDPoP

/// The request that a call would send, for `--dry-run`. It needs no server, no signature and no refresh.
///
/// It leaves out the fields that libcurl adds: `Host`, `User-Agent` and the framing of the body.
struct RequestOutline {
    private let request: TransportRequest
    private let warnings: [String]

    /// - Parameters:
    ///   - credential: what authenticates the call; nil for a call without an account.
    ///   - warnings: what is probably a mistake in the request, for the JSON.
    init(
        _ request: XRPCRequest, to server: Origin, with credential: SessionCredential? = nil,
        warnings: [String]
    ) {
        var sent = request.transportRequest(to: server)
        sent.headerFields = Self.redacted(credential) + sent.headerFields
        self.request = sent
        self.warnings = warnings
    }

    /// The header fields that authenticate a call, with `<redacted>` in place of the secrets.
    private static func redacted(_ credential: SessionCredential?) -> HTTPFields {
        let redacted = "<redacted>"
        var fields: HTTPFields = [:]
        switch credential {
        case nil: break
        case .oauth:
            fields[.authorization] = "DPoP \(redacted)"
            fields.dpopProof = redacted
        case .password: fields[.authorization] = "Bearer \(redacted)"
        }
        return fields
    }

    /// The request as HTTP text. A body that is not text is shown by its length.
    var lines: [String] {
        let fields = request.headerFields.map { "\($0.name.rawName): \($0.value.escapedForTerminal)" }
        let head = ["\(request.method.rawValue) \(request.url)"] + fields
        return switch request.body {
        case .none: head
        case .bytes(let bytes): head + ["", String(decoding: bytes, as: UTF8.self)]
        case .stream(let source): head + ["", "(\(source.length.map(String.init) ?? "unknown") bytes)"]
        }
    }

    /// The request as JSON.
    var json: JSONValue {
        let fields = request.headerFields.map { field -> JSONValue in
            ["name": .string(field.name.rawName), "value": .string(field.value)]
        }
        return [
            "schema": "bskyauth.dry-run/1", "method": .string(request.method.rawValue),
            "url": .string(request.url.description), "headers": .array(fields), "body": body,
            "warnings": JSONValue(warnings),
        ]
    }

    private var body: JSONValue {
        let length = request.body.length.map { JSONValue($0) } ?? .null
        return switch request.body {
        case .none: .null
        case .bytes(let bytes): ["length": length, "text": .string(String(decoding: bytes, as: UTF8.self))]
        case .stream: ["length": length, "text": .null]
        }
    }
}
