internal import ATPNetworking

extension Configuration {
    /// Each key with its value, for people.
    package var values: [(key: String, value: String)] {
        let general: [(String, String)] = [
            ("base_url", baseURL.description), ("app_name", appName), ("listen", listen.description),
            ("trusted_proxies", trustedProxies.map(\.description).joined(separator: ", ")), ("state", state),
            ("vault_key_file", vaultKeyFile), ("scopes", scope), ("confidential", "\(isConfidential)"),
            ("session_idle", "\(sessionIdle.components.seconds)s"),
            ("session_ttl", "\(sessionTTL.components.seconds)s"),
            ("admin_listen", adminListen?.description ?? "off"),
            ("refresh_idle_after", refreshIdleAfter.map { "\($0.components.seconds)s" } ?? "off"),
            ("audit.days", "\(audit.days)"), ("audit.addresses", "\(audit.hasAddresses)"),
            ("limits.logins_per_client", "\(limits.loginsPerClient) a minute"),
            ("limits.logins", "\(limits.logins) a minute"),
            ("limits.logins_at_once", "\(limits.loginsAtOnce)"),
            ("limits.upload_megabytes", "\(limits.uploadMegabytes)"),
            ("limits.uploads_at_once", "\(limits.uploadsAtOnce)"),
            ("limits.connections", "\(limits.connections)"),
            ("limits.calls_at_once", "\(limits.callsAtOnce)"),
            ("limits.requests_per_session", "\(limits.requestsPerSession) at once"),
            ("limits.calls_per_server", "\(limits.callsPerServer) at once"),
        ]
        let shared =
            store.map {
                [("store.url", $0.url), ("store.password_file", $0.passwordFile ?? "none")]
            } ?? []
        let dev = devNetwork.map { [("dev_network", $0.description)] } ?? []
        return general + shared + dev + (assertions?.values ?? []) + (sites?.values ?? [])
            + apps.flatMap(\.values)
    }

    /// What works, but not as the operator may think.
    package var warnings: [String] {
        var warnings: [String] = []
        if !isConfidential && sessionTTL > .seconds(14 * 86400) {
            warnings.append(
                "servers end the sessions of a public client after 14 days. Set confidential = true, or a shorter "
                    + "session_ttl.")
        }
        if assertions != nil {
            warnings.append(
                "no authorization server checks today that an assertion is used with the session key it was made for. Who "
                    + "steals one can use it for a minute, as this client.")
        }
        if limits.callsAtOnce >= limits.connections {
            warnings.append(
                "calls can take all connections, so that nothing else is answered. Set limits.calls_at_once below "
                    + "limits.connections.")
        }
        if devNetwork != nil { warnings.append("dev_network is for tests: no other network is reached.") }
        if assertions?.certificateHeader != nil, trustedProxies.contains(where: \.isLoopback) {
            warnings.append(
                "every process of this machine can name a client certificate, because trusted_proxies has a loopback "
                    + "address.")
        }
        return warnings
    }
}

extension RegisteredApp {
    /// Each key with its value, for people.
    fileprivate var values: [(key: String, value: String)] {
        let pages = origins.isEmpty ? [] : [("apps.\(name).origins", origins.joined(separator: ", "))]
        return [("apps.\(name)", redirects.joined(separator: ", "))] + pages
    }
}
