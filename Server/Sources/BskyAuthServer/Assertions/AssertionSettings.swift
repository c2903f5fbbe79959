internal import ATPNetworking
internal import BskyAuthServerSupport
package import HTTPTypes

/// The settings of the client assertion backend, all of them checked.
package struct AssertionSettings: Sendable {
    /// Whether one-time codes admit session keys.
    package let takesCodes: Bool
    /// The thumbprints of session keys that are admitted.
    package let allowed: Set<String>
    /// The thumbprints of session keys that are refused, however they were admitted.
    package let denied: Set<String>
    /// The field in which a trusted proxy names the certificate that it has verified.
    package let certificateHeader: HTTPField.Name?
    /// The values of the field that admit the request.
    package let certificates: Set<String>
    /// A command that decides, with its arguments; empty for none.
    package let hook: [String]
    /// How long the command may take.
    package let hookTimeout: Duration
    /// The issuers that assertions are made for. Empty: every issuer.
    package let audiences: Set<String>
    /// How long a session key is remembered that asks for nothing.
    package let keysIdle: Duration
    package let limits: Limits

    /// How many assertions are made in a minute.
    package struct Limits: Sendable {
        package let perKey: Int
        package let perClient: Int
        package let total: Int
    }

    /// Whether any session key can be admitted.
    var admitsSome: Bool { takesCodes || !allowed.isEmpty || !certificates.isEmpty || !hook.isEmpty }

    /// Whether a text is the SHA-256 thumbprint of a key (RFC 7638 §3).
    package static func isThumbprint(_ text: String) -> Bool { Base64URL.decode(text)?.count == 32 }

    /// Each key with its value, for people.
    var values: [(key: String, value: String)] {
        [
            ("assertions.enrolment_codes", "\(takesCodes)"),
            ("assertions.allow", allowed.sorted().joined(separator: ", ")),
            ("assertions.deny", denied.sorted().joined(separator: ", ")),
            ("assertions.certificate_header", certificateHeader?.rawName ?? ""),
            ("assertions.certificates", certificates.sorted().joined(separator: " | ")),
            ("assertions.hook", hook.joined(separator: " ")),
            ("assertions.hook_timeout", "\(hookTimeout.components.seconds)s"),
            ("assertions.audiences", audiences.isEmpty ? "all" : audiences.sorted().joined(separator: ", ")),
            ("assertions.keys_idle", "\(keysIdle.components.seconds)s"),
            ("assertions.per_key", "\(limits.perKey) a minute"),
            ("assertions.per_client", "\(limits.perClient) a minute"),
            ("assertions.total", "\(limits.total) a minute"),
        ]
    }
}

extension AssertionSettings {
    init(reading reader: ConfigurationReader, devNetwork: Origin?) throws(ConfigurationError) {
        takesCodes = try reader.flag("enrolment_codes", default: false)
        allowed = Set(try reader.values("allow", default: [], ConfigurationReader.thumbprint))
        denied = Set(try reader.values("deny", default: [], ConfigurationReader.thumbprint))
        certificateHeader = try reader.optional("certificate_header", ConfigurationReader.certificateHeader)
        certificates = Set(try reader.values("certificates", default: [], ConfigurationReader.certificate))
        hook = try reader.values("hook", default: [], ConfigurationReader.word)
        hookTimeout = try reader.value("hook_timeout", default: "5s", ConfigurationReader.duration)
        audiences = Set(try reader.values("audiences", default: [], ConfigurationReader.issuer))
        keysIdle = try reader.value("keys_idle", default: "180d", ConfigurationReader.duration)
        limits = Limits(
            perKey: try reader.number("per_key", default: 30),
            perClient: try reader.number("per_client", default: 60),
            total: try reader.number("total", default: 3000))
        try reader.refuseOthers()
        guard (certificateHeader == nil) == certificates.isEmpty else {
            throw reader.wrong("certificates", "and certificate_header must be set together")
        }
        if let program = hook.first, case .failure(let wrong) = ConfigurationReader.path(program) {
            throw reader.wrong("hook", "begins with \"\(program)\": \(wrong.words)")
        }
        guard devNetwork != nil || audiences.allSatisfy({ $0.hasPrefix("https://") }) else {
            throw reader.wrong("audiences", "has an issuer without https")
        }
        guard hookTimeout <= .seconds(30) else { throw reader.wrong("hook_timeout", "is longer than 30s") }
        // Servers end a session of a confidential client that is idle for three months. Until then its key must be known.
        guard keysIdle >= .seconds(100 * 86400) else {
            throw reader.wrong(
                "keys_idle", "is shorter than 100d, and sessions may be idle for three months")
        }
        guard admitsSome else {
            throw reader.wrong(
                "enrolment_codes",
                "is off, and no session key can be admitted: set enrolment_codes, allow, certificates or hook, or leave the "
                    + "section out")
        }
    }
}
