internal import Networking
internal import Platform

/// What the environment says, read once. No variable holds a token, and no `.env` file is read.
struct Settings: Sendable {
    /// The environment as children get it: without the variables that hold a passphrase.
    let environment: [String: String]
    let account: String?
    let home: String?
    let passphraseFile: String?
    let passphraseCommand: String?
    let passphrase: String?
    let keyFile: String?
    let afterRotation: String?
    let recipientKey: String?
    let bundlePassphraseFile: String?
    let browser: String?
    let scope: String?
    let clientID: String?
    let plcURL: String?
    let dnsServer: String?
    let resolver: String?
    let devNetwork: String?
    let httpTimeout: String?
    let lockTimeout: String?
    /// Whether nobody can be asked anything: `BSKYAUTH_NO_INPUT` or `CI`.
    let noInput: Bool
    private let allowsPrivateNetwork: Bool

    /// Taken out of the environment before any child starts.
    static let secretVariables = ["BSKYAUTH_PASSPHRASE"]

    init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        func isOn(_ name: String) -> Bool {
            value(name).map { !["0", "false", "no"].contains($0.lowercased()) } ?? false
        }
        var shown = environment
        for name in Self.secretVariables { shown[name] = nil }
        self.environment = shown
        account = value("BSKYAUTH_ACCOUNT")
        home = value("BSKYAUTH_HOME")
        passphraseFile = value("BSKYAUTH_PASSPHRASE_FILE")
        passphraseCommand = value("BSKYAUTH_PASSPHRASE_COMMAND")
        passphrase = value("BSKYAUTH_PASSPHRASE")
        keyFile = value("BSKYAUTH_KEY_FILE")
        afterRotation = value("BSKYAUTH_AFTER_ROTATION")
        recipientKey = value("BSKYAUTH_RECIPIENT_KEY")
        bundlePassphraseFile = value("BSKYAUTH_BUNDLE_PASSPHRASE_FILE")
        browser = value("BSKYAUTH_BROWSER") ?? value("BROWSER")
        scope = value("BSKYAUTH_SCOPE")
        clientID = value("BSKYAUTH_CLIENT_ID")
        plcURL = value("BSKYAUTH_PLC_URL")
        dnsServer = value("BSKYAUTH_DNS_SERVER")
        resolver = value("BSKYAUTH_RESOLVER")
        devNetwork = value("BSKYAUTH_DEV_NETWORK")
        httpTimeout = value("BSKYAUTH_HTTP_TIMEOUT")
        lockTimeout = value("BSKYAUTH_LOCK_TIMEOUT")
        noInput = isOn("BSKYAUTH_NO_INPUT") || isOn("CI")
        allowsPrivateNetwork = isOn("BSKYAUTH_ALLOW_PRIVATE_NETWORK")
    }

    /// Whether a terminal can be written to elsewhere than at its end.
    var terminalMoves: Bool { !["", "dumb"].contains(environment["TERM"] ?? "") }

    /// The length of time that a variable says; nil where it is not set.
    func timeLength(_ name: String, _ text: String?) throws(Failure) -> TimeLength? {
        guard let text else { return nil }
        guard let length = TimeLength(argument: text) else {
            throw .usage("\(name) is \"\(text.shown)\", which is not a time such as 10s")
        }
        return length
    }

    /// The directory of the vault: `--home`, `BSKYAUTH_HOME`, or the XDG place for data.
    func vaultDirectory(flag: String?) throws(Failure) -> String {
        if let home = flag ?? home { return home }
        guard let data = directory("XDG_DATA_HOME", ".local/share") else {
            throw Failure(
                .usage, "no_home", "HOME is not set, so bskyauth does not know where the vault is",
                hint: "bskyauth --home DIR …")
        }
        return data + "/bskyauth"
    }

    /// Where caches go: nothing secret, and nothing that is missed when it is gone. nil where there is no place.
    var cacheDirectory: String? {
        directory("XDG_CACHE_HOME", ".cache").map { $0 + "/bskyauth" }
    }

    /// An XDG directory; relative ones are ignored, as the specification demands.
    private func directory(_ variable: String, _ fallback: String) -> String? {
        if let path = environment[variable], path.hasPrefix("/") { return path }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(fallback)"
    }

    /// The network that may be spoken to. The dev network is loopback only, and every command says so.
    ///
    /// - Parameter allowsPrivateNetwork: whether the command line allows private addresses; the environment may, too.
    func policy(allowsPrivateNetwork: Bool = false) throws(Failure) -> NetworkPolicy {
        guard let devNetwork else {
            return NetworkPolicy(allowsPrivateNetwork: allowsPrivateNetwork || self.allowsPrivateNetwork)
        }
        guard let url = try? HTTPURL(validating: devNetwork), url.origin.isLoopback, url.path == "/" else {
            throw .usage(
                "BSKYAUTH_DEV_NETWORK is \"\(devNetwork.shown)\", which is not a URL of this machine "
                    + "such as http://127.0.0.1:2583")
        }
        return NetworkPolicy(devNetwork: url.origin)
    }

    /// Who is asked for TXT records.
    enum NameServer {
        /// The system's resolver, or one server that it is told to ask.
        case resolver(DNSResolver)
        /// A server that is asked over https (RFC 8484).
        case https(HTTPURL)
    }

    /// `BSKYAUTH_DNS_SERVER`: an IPv4 address with an optional port, or the URL of a server over https; the
    /// system's resolver where it is not set.
    func nameServer() throws(Failure) -> NameServer {
        if let dnsServer, let url = try? HTTPURL(validating: dnsServer), url.origin.scheme == .https {
            return .https(url)
        }
        guard let resolver = DNSResolver(server: dnsServer) else {
            throw .usage(
                "BSKYAUTH_DNS_SERVER takes an IPv4 address and a port, for example 127.0.0.1:5353, or an https URL, "
                    + "for example https://dns.example/dns-query")
        }
        return .resolver(resolver)
    }
}
