import Foundation

/// Sign-in without a question (OP oauth-provider.ts:668-711). Only confidential clients get it.
extension AuthorizationState {
    /// The answer to an opened request, before any page.
    enum Unasked: Sendable {
        case approved(Account)
        /// The page for consent. The account is signed in.
        case consent(Account)
        case refused(error: String, description: String)
    }

    /// After this time the password is asked for again (OP constants.ts).
    private static let authenticationLifetime: TimeInterval = 7 * 86_400

    /// The answer that the browser gets without a question; `nil` if the server shows the sign-in page.
    func unasked(_ request: AuthorizationRequest) -> Unasked? {
        let parameters = request.parameters
        guard profile.pages.answersUnasked, parameters.client.isConfidential else { return nil }
        let accounts = accounts(for: request)
        if parameters.prompt == "none" { return silent(accounts, parameters) }
        guard parameters.loginHint != nil, accounts.count == 1, accounts[0].isFresh else { return nil }
        switch parameters.prompt {
        case nil where isGranted(parameters, by: accounts[0].account): return .approved(accounts[0].account)
        case nil, "consent": return .consent(accounts[0].account)
        default: return nil
        }
    }

    private typealias SignedIn = (account: Account, isFresh: Bool)

    /// The accounts that are signed in on the browser of a request, and that its hint names.
    private func accounts(for request: AuthorizationRequest) -> [SignedIn] {
        let hint = request.parameters.loginHint
        let oldest = clock.now.addingTimeInterval(-Self.authenticationLifetime)
        return (signedIn[request.device ?? ""] ?? [:]).values
            .filter { hint == nil || $0.account.did == hint || $0.account.handle == hint }
            .map { ($0.account, $0.time >= oldest) }
    }

    private func silent(_ accounts: [SignedIn], _ parameters: AuthorizationRequest.Parameters) -> Unasked {
        if accounts.count > 1 {
            return .refused(
                error: "account_selection_required", description: "Account selection required")
        }
        guard let (account, isFresh) = accounts.first, isFresh else {
            return .refused(error: "login_required", description: "Login is required")
        }
        guard isGranted(parameters, by: account) else {
            return .refused(error: "consent_required", description: "User consent required")
        }
        return .approved(account)
    }

    private func isGranted(_ parameters: AuthorizationRequest.Parameters, by account: Account) -> Bool {
        guard let scopes = granted[account.did]?[parameters.client.clientID] else { return false }
        return scopes.isSuperset(of: parameters.scope.tokens)
    }
}
