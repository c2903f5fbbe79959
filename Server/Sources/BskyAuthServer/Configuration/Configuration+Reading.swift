internal import ATPNetworking
internal import OAuthDPoP

extension Configuration {
    /// Reads the settings.
    ///
    /// - Parameter credentials: the folder of systemd's credentials, where the vault's key is looked for first.
    init(reading reader: ConfigurationReader, credentials: String?) throws(ConfigurationError) {
        devNetwork = try reader.optional("dev_network", ConfigurationReader.devNetwork)
        state = try reader.value("state", default: "/var/lib/bskyauth-server", ConfigurationReader.path)
        store = try reader.section("store").map { section throws(ConfigurationError) in
            try StoreSettings(reading: section)
        }
        baseURL = try reader.value("base_url", ConfigurationReader.baseURL)
        appName = try reader.value("app_name", ConfigurationReader.name)
        listen = try Self.listen(reader)
        trustedProxies = try reader.values(
            "trusted_proxies", default: ["127.0.0.1", "::1"], ConfigurationReader.address)
        vaultKeyFile = try reader.value(
            "vault_key_file", default: credentials.map { "\($0)/vault.key" } ?? "\(state)/keys/vault.key",
            ConfigurationReader.path)
        scope = try Self.scope(reader)
        isConfidential = try reader.flag("confidential", default: true)
        sessionIdle = try reader.value("session_idle", default: "14d", ConfigurationReader.duration)
        sessionTTL = try reader.value("session_ttl", default: "180d", ConfigurationReader.duration)
        adminListen = try reader.optional("admin_listen", ConfigurationReader.adminListen)
        // Servers end a session of a public client after 14 days, refreshed or not.
        refreshIdleAfter =
            isConfidential
            ? try reader.value("refresh_idle_after", default: "30d", ConfigurationReader.duration)
            : try reader.optional("refresh_idle_after", ConfigurationReader.duration)
        audit = try AuditSettings(reading: try reader.optionalSection("audit"))
        apps = try Self.apps(reader)
        limits = try Limits(reading: try reader.optionalSection("limits"))
        assertions =
            if let section = try reader.section("assertions") {
                try AssertionSettings(reading: section, devNetwork: devNetwork)
            } else { nil }
        sites =
            if let section = try reader.section("auth") {
                try SiteSettings(reading: section, baseURL: baseURL)
            } else { nil }
        guard sessionIdle <= sessionTTL else {
            throw reader.wrong("session_idle", "is longer than session_ttl")
        }
        guard isConfidential || refreshIdleAfter == nil else {
            throw reader.wrong(
                "refresh_idle_after",
                "has no effect with confidential = false: servers end the sessions of a public client after 14 days, "
                    + "refreshed or not")
        }
        // Servers end a session of a confidential client after three months without a refresh, and a sweep may fail for days.
        guard refreshIdleAfter.map({ $0 <= .seconds(75 * 86400) }) ?? true else {
            throw reader.wrong(
                "refresh_idle_after", "is longer than 75d, and servers end an idle session after three months"
            )
        }
        guard isConfidential || assertions == nil else {
            throw reader.wrong("assertions", "needs confidential = true")
        }
        // The form of the document does not depend on the keys, which may not be made yet.
        do { _ = try clientMetadata([DPoPKey().publicKey]) } catch {
            throw reader.wrong("base_url", "can't be that of a client: \(error)")
        }
        try reader.refuseOthers()
    }

    private static func apps(_ reader: ConfigurationReader) throws(ConfigurationError) -> [RegisteredApp] {
        var apps: [RegisteredApp] = []
        for section in try reader.sections("apps") {
            let app = RegisteredApp(
                name: try section.value("name", ConfigurationReader.appName),
                redirects: try section.values("redirects", ConfigurationReader.redirect),
                origins: try section.values("origins", default: [], ConfigurationReader.baseURL)
                    .map(\.description))
            guard !app.redirects.isEmpty else { throw section.wrong("redirects", "has no address") }
            for other in apps {
                guard other.name != app.name else { throw section.wrong("name", "is the name of two apps") }
                guard Set(other.redirects).isDisjoint(with: app.redirects) else {
                    throw section.wrong("redirects", "has an address of two apps")
                }
            }
            try section.refuseOthers()
            apps.append(app)
        }
        return apps
    }

    private static func listen(_ reader: ConfigurationReader) throws(ConfigurationError) -> ListenAddress {
        let address = try reader.value("listen", default: "127.0.0.1:3000", ConfigurationReader.listen)
        let mayBeRemote = try reader.flag("listen_to_other_machines", default: false)
        guard mayBeRemote || ClientAddress(address.host)?.isLoopback == true else {
            throw reader.wrong(
                "listen",
                "is reached by other machines, without TLS. Use 127.0.0.1 behind a proxy, or set "
                    + "listen_to_other_machines = true if only the proxy can reach it")
        }
        return address
    }

    private static func scope(_ reader: ConfigurationReader) throws(ConfigurationError) -> String {
        let scopes = try reader.values(
            "scopes", default: ["atproto", "transition:generic"], ConfigurationReader.scope)
        guard scopes.contains("atproto") else { throw reader.wrong("scopes", "lacks \"atproto\"") }
        guard Set(scopes).count == scopes.count else { throw reader.wrong("scopes", "has a scope twice") }
        return scopes.joined(separator: " ")
    }
}

extension StoreSettings {
    fileprivate init(reading reader: ConfigurationReader) throws(ConfigurationError) {
        url = try reader.value("url", ConfigurationReader.word)
        passwordFile = try reader.optional("password_file", ConfigurationReader.path)
        if let problem = ServerStore.problem(of: url, hasPassword: passwordFile != nil) {
            throw reader.wrong("url", "can't be used: \(problem)")
        }
        try reader.refuseOthers()
    }
}

extension Configuration.Limits {
    fileprivate init(reading reader: ConfigurationReader) throws(ConfigurationError) {
        loginsPerClient = try reader.number("logins_per_client", default: 10)
        logins = try reader.number("logins", default: 300)
        loginsAtOnce = try reader.number("logins_at_once", default: 32)
        uploadMegabytes = try reader.number("upload_megabytes", default: 100)
        uploadsAtOnce = try reader.number("uploads_at_once", default: 32)
        connections = try reader.number("connections", default: 1000)
        // The rest is for what is answered at once, such as /health.
        callsAtOnce = try reader.number("calls_at_once", default: max(1, connections * 4 / 5))
        requestsPerSession = try reader.number("requests_per_session", default: 64)
        callsPerServer = try reader.number("calls_per_server", default: max(1, callsAtOnce / 4))
        try reader.refuseOthers()
    }
}
