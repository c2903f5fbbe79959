package import ATPCryptography
package import ATPNetworking
package import ATProtoIdentity
package import ATProtoVault
internal import ATProtoXRPC
package import FoundationEssentials
package import OAuthDPoP

/// An error type of this program. Flows let the errors of the layers below pass, and the command line has words, an exit
/// code and a next step for each. Any other error that is thrown is a defect.
package protocol KnownError: Error {}

extension CoreError: KnownError {}
extension VaultError: KnownError {}
extension BundleError: KnownError {}
extension IdentityError: KnownError {}
extension DiscoveryError: KnownError {}
extension TransportError: KnownError {}
extension CryptographyError: KnownError {}
extension AuthorizationResponseError: KnownError {}

extension KnownError {
    /// Whether a file is damaged, so that only a copy of the file helps.
    package var isDamage: Bool {
        switch self as any Error {
        case VaultError.damaged, CoreError.unreadableRecord: true
        default: false
        }
    }

    /// Whether the error is about one file: its content, or who may read it. It says nothing about other accounts.
    package var isOfOneFile: Bool {
        switch self as any Error {
        case VaultError.newerFormat, VaultError.unsafePermissions, VaultError.foreignOwner,
            VaultError.symlink,
            VaultError.io:
            true
        default: isDamage
        }
    }

    /// Whether the error says nothing about the session: a server can't be reached or fails, another process has the
    /// account, or the disk is full.
    package var isPassing: Bool {
        switch self as any Error {
        case let failure as KeeperFailure: failure.isPassing
        case VaultError.busy, VaultError.keyChanged, VaultError.overtaken, CoreError.rotationNotBegun(.io),
            CoreError.rotationNotBegun(.unwritable),
            CoreError.rotationNotBegun(.busy), CoreError.rotationNotBegun(.keyChanged):
            true
        case is TransportError, CoreError.sessionService, CoreError.refreshFailed, CoreError.refreshPostponed:
            true
        case CoreError.xrpc(let error, _): error.isTransient
        case let error as DiscoveryError:
            switch error.code {
            case .transport, .status: true
            default: false
            }
        case let error as IdentityError: error.kind == .unavailable
        case CoreError.oauth(let error, _): error.refreshVerdict != .invalidGrant
        default: false
        }
    }

    /// Whether the network prevented a call, so that the same call may succeed later. An unanswered refresh is not such
    /// a failure: it is not sent again at once (protocol:R66).
    var isNetworkFailure: Bool {
        switch self as any Error {
        case let failure as KeeperFailure: failure.retry == .soon
        case let error as TransportError: error.isPassing
        case CoreError.sessionService(let error): error.isPassing && !error.requestWasSent
        case CoreError.oauth(let error, _):
            if case .transport(let failure) = error.code {
                failure.isPassing && (error.endpoint == .resource || !failure.requestWasSent)
            } else {
                false
            }
        case let error as DiscoveryError:
            if case .transport(let failure) = error.code { failure.isPassing } else { false }
        case let error as IdentityError: error.kind == .unavailable
        case CoreError.unusableService(_, let error): error.mayPass
        default: false
        }
    }

    /// When the work that failed may be tried again; nil if another try makes no sense, or if nothing is known.
    package var retry: RetryTime? {
        switch self as any Error {
        case let failure as KeeperFailure: failure.retry
        case CoreError.refreshFailed(_, let time), CoreError.refreshPostponed(_, _, let time): .at(time)
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
