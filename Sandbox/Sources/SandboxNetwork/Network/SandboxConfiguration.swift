/// The settings of a sandbox network.
public struct SandboxConfiguration: Sendable {
    /// A handle with its password.
    public struct AccountSeed: Sendable {
        /// The handle, in lower or upper case.
        public let handle: String
        /// The account password.
        public let password: String
        /// App passwords, `xxxx-xxxx-xxxx-xxxx`.
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

    /// How the documents of clients with an https client_id are fetched.
    public struct ClientDocuments: Sendable {
        let authorities: String
        let timeLimit: Duration

        /// Names the PEM file of the certificate authorities to trust.
        public init(authorities: String, timeLimit: Duration = .seconds(10)) {
            self.authorities = authorities
            self.timeLimit = timeLimit
        }
    }

    /// The password of accounts made without one.
    public static let defaultPassword = "hunter2"

    /// The address all listeners bind.
    public var host = "127.0.0.1"
    /// The main listener's port; 0 lets the system choose.
    public var port = 0
    /// Ports of roles that listen on their own (the entryway layout); 0 lets the system choose.
    public var rolePorts: [Role: Int] = [:]
    /// Public URLs of roles, if they differ from the URL of the role's listener.
    public var origins: [Role: String] = [:]
    /// The accounts that exist at the start.
    public var accounts = [AccountSeed(handle: "alice.test"), AccountSeed(handle: "bob.test")]
    /// Whether the authorization page approves without asking.
    public var approvesUnasked = false
    /// How long access tokens live; the reference server's 60 minutes.
    public var accessTokenLifetime = Duration.seconds(3600)
    /// How often DPoP nonces change; `nil` means as often as the profile's server does.
    public var nonceRotation: Duration?
    /// The pause between reading and writing a refresh token, on servers where two refreshes can succeed.
    public var raceWindow = Duration.milliseconds(50)
    /// The server to imitate.
    public var profile = ServerProfile.official
    /// The certificate for https on all listeners. `nil` means plain http.
    public var tls: TLSFiles?
    /// How documents of clients are fetched. `nil` means that only registered ones are known.
    public var clientDocuments: ClientDocuments?
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
