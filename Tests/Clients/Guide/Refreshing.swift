import ATProtoSessions
import Foundation

/// Refreshes sessions that are not used, so that they don't end.
func refreshAll(_ client: ATProtoClient) async throws {
    for account in try await client.accounts {
        do {
            try await client.refresh(account.id)
        } catch {
            // Another account may still be refreshed.
            print("\(account.did): \(error)")
        }
    }
}

/// Asks a process that lives longer to rotate. `ask` returns nil if that process does not answer.
struct LongLivedProcess: RotationRunner {
    let ask: @Sendable (String) async throws -> String?

    func rotate(_ request: RotationRequest) async throws -> RefreshOutcome? {
        try await ask(request.archive).flatMap(RefreshOutcome.init)
    }
}

/// The other side, in the process that lives longer. Both sides use the same store.
func answer(_ text: String, with client: ATProtoClient) async throws -> String? {
    guard let request = RotationRequest(archive: text) else { return nil }
    return try await client.rotate(for: request).rawValue
}

/// Tells the app what happens to its accounts.
func watch(_ client: ATProtoClient) async {
    for await event in client.events {
        switch event.kind {
        case .ended: print("\(event.account.did) has to log in again")
        case .changed: print("\(event.account.did) is now at \(event.account.pds)")
        default: break
        }
    }
}
