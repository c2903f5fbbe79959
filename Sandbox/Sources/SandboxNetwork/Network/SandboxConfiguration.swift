/// What a sandbox network is made of.
public struct SandboxConfiguration: Sendable {
    /// A handle with its password.
    public struct AccountSeed: Sendable {
        /// The handle, in lower or upper case.
        public let handle: String
        /// What the person types at sign-in.
        public let password: String
        /// Passwords for apps, `xxxx-xxxx-xxxx-xxxx`.
        public var appPasswords: [String]

        /// Makes a seed; without a password the account gets ``SandboxConfiguration/defaultPassword``.
        public init(handle: String, password: String? = nil, appPasswords: [String] = []) {
            self.handle = handle
            self.appPasswords = appPasswords
            self.password = password ?? SandboxConfiguration.defaultPassword
        }
    }

    /// Certificate chain and private key, as PEM files.
    public struct TLSFiles: Sendable {
        let certificate: String
        let key: String

        /// Names the two files.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// The password of accounts that name none.
    public static let defaultPassword = "hunter2"

    /// The address all listeners bind.
    public var host = "127.0.0.1"
    /// The main listener's port; 0 lets the system choose.
    public var port = 0
    /// Ports of roles that listen on their own (the entryway layout); 0 lets the system choose.
    public var rolePorts: [Role: Int] = [:]
    /// Public URLs of roles, where they differ from where the role listens.
    public var origins: [Role: String] = [:]
    /// The accounts there are from the start.
    public var accounts = [AccountSeed(handle: "alice.test"), AccountSeed(handle: "bob.test")]
    /// Whether the authorization page approves without asking.
    public var approvesUnasked = false
    /// How long access tokens live; the reference server's 60 minutes.
    public var accessTokenLifetime = Duration.seconds(3600)
    /// How often DPoP nonces change; `nil` means as often as the profile's server does.
    public var nonceRotation: Duration?
    /// How long a refresh takes between looking and writing, on servers where two can win.
    public var raceWindow = Duration.milliseconds(50)
    /// The server that is played.
    public var profile = ServerProfile.official
    /// TLS for all listeners; `nil` means plain http.
    public var tls: TLSFiles?
    /// The largest blob, in bytes.
    public var blobLimit = 128 << 20

    /// Makes the default configuration.
    public init() {}

    /// Whether a text has the form of an app password, `xxxx-xxxx-xxxx-xxxx`.
    public static func isAppPassword(_ text: String) -> Bool { AppPassword.isWellFormed(text) }

    var scheme: String { tls == nil ? "http" : "https" }

    /// A host as it stands in a URL.
    static func urlHost(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
