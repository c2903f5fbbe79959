internal import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
package import ATProtoVault
internal import ATProtoXRPC
package import FoundationEssentials
internal import OAuthDPoP

extension BundleError: KnownError {}

extension VaultError: KnownError {
    package var isPassing: Bool {
        switch self {
        case .busy, .keyChanged, .overtaken, .store, .claimed: true
        default: false
        }
    }
}

extension CoreError: KnownError {
    package var isPassing: Bool {
        switch self {
        case .rotationNotBegun(.io), .rotationNotBegun(.unwritable), .rotationNotBegun(.busy),
            .rotationNotBegun(.keyChanged), .rotationNotBegun(.store), .sessionService:
            true
        case .xrpc(let error, _): error.isTransient
        default: false
        }
    }

    package var suggestsMove: Bool {
        switch self {
        case .sessionService(let error): error.suggestsMove
        case .xrpc(let error, _): error.saysAccountIsNotActive
        default: false
        }
    }
}

/// The failure of a rotation in the keeper: the words for the user, and the facts that flows ask for.
package struct KeeperFailure: KnownError {
    package let words: any KnownError
    package let isPassing: Bool
    package let retry: RetryTime?
    /// The server that the account has moved to, if the refresh found that.
    package let movedTo: String?

    package init(words: any KnownError, isPassing: Bool, retry: RetryTime?, movedTo: String? = nil) {
        self.words = words
        self.isPassing = isPassing
        self.retry = retry
        self.movedTo = movedTo
    }
}

extension KnownError {
    /// ``VaultError/isDamage``; false for other errors.
    package var isDamage: Bool { (self as? VaultError)?.isDamage ?? false }

    /// ``VaultError/isOfOneFile``; false for other errors.
    package var isOfOneFile: Bool { (self as? VaultError)?.isOfOneFile ?? false }

    /// Whether the network prevented a call, so that the same call may succeed later. An unanswered refresh is not such
    /// a failure: it is not sent again at once (protocol:R66).
    var isNetworkFailure: Bool {
        switch self as any Error {
        case let failure as KeeperFailure: failure.retry == .soon
        case let error as TransportError: error.mayPass
        case CoreError.sessionService(let error): error.mayPass && !error.requestWasSent
        case SessionFailure.oauth(let error, _):
            if case .transport(let failure) = error.code {
                failure.mayPass
                    && ([.resource, .clientAssertion].contains(error.endpoint) || !failure.requestWasSent)
            } else {
                false
            }
        case let error as DiscoveryError:
            if case .transport(let failure) = error.code { failure.mayPass } else { false }
        case let error as IdentityError: error.kind == .unavailable
        case CoreError.unusableService(_, let error): error.mayPass
        default: false
        }
    }

    /// Whether a call may have reached its server, which gave no answer.
    package var callMayBeDone: Bool {
        switch self as any Error {
        case let error as TransportError: error.requestWasSent
        case SessionFailure.oauth(let error, _):
            if case .transport(let failure) = error.code {
                error.endpoint == .resource && failure.requestWasSent
            } else {
                false
            }
        default: false
        }
    }

    /// When the work that failed may be tried again; nil if another try makes no sense, or if nothing is known.
    package var retry: RetryTime? {
        switch self as any Error {
        case let failure as KeeperFailure: failure.retry
        case SessionFailure.refreshFailed(_, let time), SessionFailure.refreshPostponed(_, _, let time):
            .at(time)
        case VaultError.busy: .whenFree
        case CoreError.serviceTokenRefused(let refusal, _): refusal.error.isTransient ? .soon : nil
        default: isNetworkFailure ? .soon : nil
        }
    }
}

/// When work that failed may be tried again.
package enum RetryTime: Sendable, Equatable {
    /// When another process does not use the account any more. It was waited for in vain.
    case whenFree
    /// After a pause that the caller chooses.
    case soon
    /// Not before this time.
    case at(Date)
}
