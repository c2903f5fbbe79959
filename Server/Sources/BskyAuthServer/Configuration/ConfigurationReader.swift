internal import ATPNetworking
internal import FoundationEssentials
internal import HTTPTypes
internal import OAuthDPoP
internal import TOMLKit

/// Reads the settings from TOML. Every key is checked, and a key that it does not know is refused.
package struct ConfigurationReader {
    private let table: TOMLTable
    private let prefix: String
    /// Where the keys that were asked for are collected, to find those that nobody asks for.
    private let known = Known()

    private final class Known {
        var keys: Set<String> = []
    }

    private init(_ table: TOMLTable, prefix: String = "") {
        self.table = table
        self.prefix = prefix
    }

    /// Reads a configuration.
    ///
    /// - Parameter credentials: the folder of systemd's credentials, where the vault's key is looked for first.
    package static func read(_ text: String, credentials: String?) throws(ConfigurationError) -> Configuration
    {
        let table: TOMLTable
        do { table = try TOMLTable(string: text) } catch {
            let place = (error as? TOMLParseError).map {
                "\($0.source.begin.debugDescription): \($0.description)"
            }
            throw ConfigurationError(key: nil, "the file is no TOML: \(place ?? "\(error)")")
        }
        return try ConfigurationReader(table).configuration(credentials)
    }

    private func configuration(_ credentials: String?) throws(ConfigurationError) -> Configuration {
        let devNetwork = try optional("dev_network", Self.devNetwork)
        let state = try value("state", default: "/var/lib/bskyauth-server", Self.path)
        let configuration = Configuration(
            baseURL: try value("base_url", Self.baseURL),
            appName: try value("app_name", Self.name),
            listen: try listen(),
            trustedProxies: try values("trusted_proxies", default: ["127.0.0.1", "::1"], Self.address),
            state: state,
            vaultKeyFile: try value(
                "vault_key_file",
                default: credentials.map { "\($0)/vault.key" } ?? "\(state)/keys/vault.key", Self.path),
            scope: try scope(),
            isConfidential: try flag("confidential", default: true),
            sessionIdle: try value("session_idle", default: "14d", Self.duration),
            sessionTTL: try value("session_ttl", default: "180d", Self.duration),
            apps: try apps(), limits: try limits(), assertions: try assertions(in: devNetwork),
            devNetwork: devNetwork)
        guard configuration.sessionIdle <= configuration.sessionTTL else {
            throw ConfigurationError(key: "session_idle", "is longer than session_ttl")
        }
        guard configuration.isConfidential || configuration.assertions == nil else {
            throw ConfigurationError(key: "assertions", "needs confidential = true")
        }
        // The form of the document does not depend on the keys, which may not be made yet.
        do { _ = try configuration.clientMetadata([DPoPKey().publicKey]) } catch {
            throw ConfigurationError(key: "base_url", "can't be that of a client: \(error)")
        }
        try refuseOthers()
        return configuration
    }

    private func limits() throws(ConfigurationError) -> Configuration.Limits {
        let reader: ConfigurationReader
        known.keys.insert("limits")
        switch table["limits"] {
        case nil: reader = ConfigurationReader(TOMLTable(), prefix: "limits.")
        case let value?:
            guard let table = value.table else { throw ConfigurationError(key: "limits", "is no table") }
            reader = ConfigurationReader(table, prefix: "limits.")
        }
        let limits = Configuration.Limits(
            loginsPerClient: try reader.number("logins_per_client", default: 10),
            logins: try reader.number("logins", default: 300),
            loginsAtOnce: try reader.number("logins_at_once", default: 32),
            uploadMegabytes: try reader.number("upload_megabytes", default: 100),
            uploadsAtOnce: try reader.number("uploads_at_once", default: 32),
            connections: try reader.number("connections", default: 1000))
        try reader.refuseOthers()
        return limits
    }

    private func assertions(
        in devNetwork: Origin?
    ) throws(ConfigurationError) -> AssertionSettings? {
        known.keys.insert("assertions")
        guard let value = table["assertions"] else { return nil }
        guard let table = value.table else { throw ConfigurationError(key: "assertions", "is no table") }
        let reader = ConfigurationReader(table, prefix: "assertions.")
        let settings = AssertionSettings(
            takesCodes: try reader.flag("enrolment_codes", default: false),
            allowed: Set(try reader.values("allow", default: [], Self.thumbprint)),
            denied: Set(try reader.values("deny", default: [], Self.thumbprint)),
            certificateHeader: try reader.optional("certificate_header", Self.certificateHeader),
            certificates: Set(try reader.values("certificates", default: [], Self.certificate)),
            hook: try reader.values("hook", default: [], Self.word),
            hookTimeout: try reader.value("hook_timeout", default: "5s", Self.duration),
            audiences: Set(try reader.values("audiences", default: [], Self.issuer)),
            keysIdle: try reader.value("keys_idle", default: "180d", Self.duration),
            limits: AssertionSettings.Limits(
                perKey: try reader.number("per_key", default: 30),
                perClient: try reader.number("per_client", default: 60),
                total: try reader.number("total", default: 3000)))
        try reader.refuseOthers()
        guard (settings.certificateHeader == nil) == settings.certificates.isEmpty else {
            throw ConfigurationError(
                key: "assertions", "needs certificate_header and certificates together")
        }
        if let program = settings.hook.first, case .failure(let wrong) = Self.path(program) {
            throw ConfigurationError(key: "assertions.hook", "begins with \"\(program)\": \(wrong.words)")
        }
        guard devNetwork != nil || settings.audiences.allSatisfy({ $0.hasPrefix("https://") }) else {
            throw ConfigurationError(key: "assertions.audiences", "has an issuer without https")
        }
        guard settings.hookTimeout <= .seconds(30) else {
            throw ConfigurationError(key: "assertions.hook_timeout", "is longer than 30s")
        }
        // Servers end a session of a confidential client that is idle for three months. Until then its key must be known.
        guard settings.keysIdle >= .seconds(100 * 86400) else {
            throw ConfigurationError(
                key: "assertions.keys_idle", "is shorter than 100d, and sessions may be idle for three months"
            )
        }
        guard settings.admitsSome else {
            throw ConfigurationError(
                key: "assertions",
                "admits no session key: set enrolment_codes, allow, certificates or hook, or leave the section out"
            )
        }
        return settings
    }

    private func apps() throws(ConfigurationError) -> [RegisteredApp] {
        known.keys.insert("apps")
        guard let value = table["apps"] else { return [] }
        guard let entries = value.array else {
            throw ConfigurationError(key: "apps", "is no list: write each app under [[apps]]")
        }
        var apps: [RegisteredApp] = []
        for (index, entry) in entries.enumerated() {
            guard let table = entry.table else {
                throw ConfigurationError(key: "apps", "is no list: write each app under [[apps]]")
            }
            let reader = ConfigurationReader(table, prefix: "apps[\(index)].")
            let app = RegisteredApp(
                name: try reader.value("name", Self.appName),
                redirects: try reader.values("redirects", Self.redirect))
            guard !app.redirects.isEmpty else {
                throw ConfigurationError(key: "apps[\(index)].redirects", "has no address")
            }
            for other in apps {
                guard other.name != app.name else {
                    throw ConfigurationError(key: "apps[\(index)].name", "is the name of two apps")
                }
                guard Set(other.redirects).isDisjoint(with: app.redirects) else {
                    throw ConfigurationError(key: "apps[\(index)].redirects", "has an address of two apps")
                }
            }
            try reader.refuseOthers()
            apps.append(app)
        }
        return apps
    }

    private func listen() throws(ConfigurationError) -> ListenAddress {
        let address = try value("listen", default: "127.0.0.1:3000", Self.listen)
        let mayBeRemote = try flag("listen_to_other_machines", default: false)
        guard mayBeRemote || ClientAddress(address.host)?.isLoopback == true else {
            throw ConfigurationError(
                key: "listen",
                "is reached by other machines, without TLS. Use 127.0.0.1 behind a proxy, or set "
                    + "listen_to_other_machines = true if only the proxy can reach it")
        }
        return address
    }

    private func scope() throws(ConfigurationError) -> String {
        let scopes = try values("scopes", default: ["atproto", "transition:generic"], Self.scope)
        guard scopes.contains("atproto") else { throw ConfigurationError(key: "scopes", "lacks \"atproto\"") }
        guard Set(scopes).count == scopes.count else {
            throw ConfigurationError(key: "scopes", "has a scope twice")
        }
        return scopes.joined(separator: " ")
    }

    // MARK: Keys

    typealias Parse<Value> = (String) -> Result<Value, Wrong>

    struct Wrong: Error {
        let words: String

        init(_ words: String) { self.words = words }
    }

    private func value<Value>(
        _ key: String, default absent: String? = nil, _ parse: Parse<Value>
    ) throws(ConfigurationError) -> Value {
        guard let value = try optional(key, default: absent, parse) else {
            throw ConfigurationError(key: prefix + key, "is missing")
        }
        return value
    }

    private func optional<Value>(
        _ key: String, default absent: String? = nil, _ parse: Parse<Value>
    ) throws(ConfigurationError) -> Value? {
        known.keys.insert(key)
        let text: String
        switch table[key] {
        case nil:
            guard let absent else { return nil }
            text = absent
        case let value?:
            guard let string = value.string else { throw ConfigurationError(key: prefix + key, "is no text") }
            text = string
        }
        return try parsed(text, key, parse)
    }

    private func values<Value>(
        _ key: String, default absent: [String]? = nil, _ parse: Parse<Value>
    ) throws(ConfigurationError) -> [Value] {
        known.keys.insert(key)
        guard let texts = try texts(key) ?? absent else {
            throw ConfigurationError(key: prefix + key, "is missing")
        }
        var values: [Value] = []
        for text in texts { values.append(try parsed(text, key, parse)) }
        return values
    }

    private func texts(_ key: String) throws(ConfigurationError) -> [String]? {
        guard let value = table[key] else { return nil }
        guard let array = value.array else { throw ConfigurationError(key: prefix + key, "is no list") }
        var texts: [String] = []
        for item in array {
            guard let text = item.string else {
                throw ConfigurationError(key: prefix + key, "has an item that is no text")
            }
            texts.append(text)
        }
        return texts
    }

    private func parsed<Value>(
        _ text: String, _ key: String, _ parse: Parse<Value>
    ) throws(ConfigurationError) -> Value {
        switch parse(text) {
        case .success(let value): return value
        case .failure(let wrong):
            throw ConfigurationError(key: prefix + key, "is \"\(text)\": \(wrong.words)")
        }
    }

    private func flag(_ key: String, default absent: Bool) throws(ConfigurationError) -> Bool {
        known.keys.insert(key)
        guard let value = table[key] else { return absent }
        guard let flag = value.bool else {
            throw ConfigurationError(key: prefix + key, "is neither true nor false")
        }
        return flag
    }

    private func number(_ key: String, default absent: Int) throws(ConfigurationError) -> Int {
        known.keys.insert(key)
        guard let value = table[key] else { return absent }
        guard let number = value.int, (1...1_000_000).contains(number) else {
            throw ConfigurationError(key: prefix + key, "is no number from 1 to 1000000")
        }
        return number
    }

    private func refuseOthers() throws(ConfigurationError) {
        if let unknown = table.keys.filter({ !known.keys.contains($0) }).min() {
            throw ConfigurationError(key: prefix + unknown, "is no setting of this version")
        }
    }
}

/// What is wrong with the configuration.
package struct ConfigurationError: Error, CustomStringConvertible {
    let key: String?
    let problem: String

    init(key: String?, _ problem: String) {
        self.key = key
        self.problem = problem
    }

    package var description: String { key.map { "\($0) \(problem)" } ?? problem }
}
