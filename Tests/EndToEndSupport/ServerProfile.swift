internal import Foundation

/// Which server the sandbox plays, and what tests have to know of it; its README says how they differ, as
/// recorded (Tests/Fixtures/transcripts).
package enum ServerProfile: String, Sendable {
    case official
    case cocoon
    case cirrus

    /// The one of this run, named by `BSKYAUTH_TEST_PROFILE`.
    package static let current: ServerProfile = {
        guard let name = ProcessInfo.processInfo.environment["BSKYAUTH_TEST_PROFILE"] else {
            return .official
        }
        guard let profile = ServerProfile(rawValue: name) else {
            preconditionFailure("BSKYAUTH_TEST_PROFILE names no profile: \(name)")
        }
        return profile
    }()

    /// Whether a proof needs a nonce of the server's (case 100).
    package var asksForNonces: Bool { self != .cirrus }

    /// Whether its metadata name a revocation endpoint (case 002).
    package var revokes: Bool { self != .cirrus }

    /// How many pushed requests it refuses before it takes one: Cirrus wants the exact port in the client id
    /// (cases 101, 102).
    package var refusedPushes: Int { self == .cirrus ? 1 : 0 }

    /// Whether the browser brings a rejection back to the client; cocoon sends it to `http://localhost`
    /// (case 201).
    package var bringsRejectionsBack: Bool { self != .cocoon }

    /// What its token endpoint says of a refresh token that is no longer good (case 505).
    package var refusedGrant: String { self == .cocoon ? #""client_id" mismatch"# : "invalid_grant" }

    /// Whether that is a code which says that the session ended.
    package var saysInvalidGrant: Bool { refusedGrant == "invalid_grant" }

    /// How a forced refresh ends then: without `invalid_grant` a token that lives on paper is not given up.
    package var refusedRefresh: (exit: Int32, status: String, error: String) {
        saysInvalidGrant ? (4, "expired", "session_expired") : (10, "failed", "refused")
    }

    /// What its PDS says of a proof from another time (case 415).
    package var refusedProof: String {
        switch self {
        case .official: "invalid_dpop_proof"
        case .cocoon: "InvalidRequest"
        case .cirrus: "InvalidToken"
        }
    }

    /// Whether its PDS refuses a proof that it has seen (case 409).
    package var refusesReplays: Bool { self != .cocoon }

    /// What its PDS says of an access token that ended (case 422).
    package var refusedToken: String { self == .cirrus ? "InvalidToken" : "invalid_token" }

    /// Whether a GET where a POST belongs is refused with a reason; cocoon fails with 500 (case 449).
    package var explainsWrongVerb: Bool { self != .cocoon }

    /// Whether it looks handles up without failing at those that there are not (case 009).
    package var knowsUnknownHandles: Bool { self != .cocoon }

    /// How many requests end a session of an app password: the refresh JWT is tried first, and cocoon wants
    /// the access JWT (cases 740, 743).
    package var passwordDeletions: Int { self == .cocoon ? 2 : 1 }
}
