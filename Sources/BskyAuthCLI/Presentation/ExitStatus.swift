/// How the program ends, as scripts read it. The table in bskyauth(1) is the contract; codes never change meaning.
enum ExitStatus: Int32, Sendable {
    case done = 0
    /// A failure that has no code of its own.
    case failure = 1
    /// Consent denied, or a question answered no.
    case declined = 2
    /// No account, a session that expired or was revoked, an account that has moved, or a new token that the PDS refuses.
    case loginNeeded = 4
    /// No key, or a wrong passphrase.
    case vaultLocked = 5
    /// An account that is unknown or ambiguous, or a handle that does not exist.
    case unknownAccount = 6
    /// A damaged or newer vault, or unsafe permissions.
    case vaultDamaged = 7
    case scopeMissing = 8
    case rateLimited = 9
    /// The server refused the request.
    case refused = 10
    case serverError = 11
    /// Network, DNS, TLS, time-out; identity or metadata that can't be resolved.
    case network = 12
    /// State, issuer, subject or handle did not verify.
    case verificationFailed = 13
    case usage = 64
    /// A lock is held, or the wait for a login is over.
    case busy = 75
    /// The program of `exec` can't be started.
    case programNotStarted = 126
    /// The program of `exec` does not exist.
    case programNotFound = 127
    case interrupted = 130
    case terminated = 143

    /// Whether the same command may succeed later, unchanged.
    var isRetryable: Bool {
        switch self {
        case .rateLimited, .serverError, .network, .busy: true
        default: false
        }
    }
}
