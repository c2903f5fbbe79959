import ATProtoSessions
import Foundation

/// What an app does after a call.
enum NextStep: Sendable, Equatable {
    case done, logIn, again(Date?), check, tell(String)
}

/// Calls, and says what to do after a failure.
func attempt(_ call: () async throws(ATProtoFailure) -> Void) async -> NextStep {
    do {
        try await call()
        return .done
    } catch {
        switch error.code {
        case .sessionEnded: return .logIn
        case .network where error.requestWasSent: return .check
        case _ where error.mayPass: return .again(error.retryAt)
        case .xrpc where error.missingScope != nil: return .logIn
        default: return .tell(error.description)
        }
    }
}
