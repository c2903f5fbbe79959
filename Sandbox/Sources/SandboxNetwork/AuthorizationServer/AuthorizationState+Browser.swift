import Foundation

extension AuthorizationState {
    /// The page for a request_uri.
    enum Opening: Sendable {
        /// There is no such request: an error page, never a redirect (`protocol:R32`, case 220).
        case unknown
        case redirect(AuthorizationRedirect)
        case signIn(AuthorizationRequest)
        case consent(AuthorizationRequest, Account)
    }

    /// Opens a request on a device. Only the first device may open it again (`protocol:R31`, cases 205-210).
    func open(_ uri: String, clientID: String, device: String) -> Opening {
        guard var request = requests[uri], request.parameters.client.clientID == clientID else {
            return .unknown
        }
        if request.expires <= clock.now {
            requests[uri] = nil
            return .redirect(refusal(of: request, "This request has expired"))
        }
        if request.isFinished {
            return .redirect(refusal(of: request, "This request was already authorized"))
        }
        if let other = request.device, other != device {
            requests[uri] = nil
            return .redirect(refusal(of: request, "This request was initiated from another device"))
        }
        request.device = device
        request.expires = clock.now.addingTimeInterval(AuthorizationRequest.lifetime)
        requests[uri] = request
        if let account = request.account { return .consent(request, account) }
        return .signIn(request)
    }

    /// Chooses the account of a request, without a password.
    func use(_ account: Account, for uri: String) {
        requests[uri]?.account = account
    }

    /// Records which account signed in, and on which browser.
    func signIn(_ account: Account, to uri: String) {
        use(account, for: uri)
        guard let device = requests[uri]?.device else { return }
        signedIn[device, default: [:]][account.did] = (account, clock.now)
    }

    /// The user's answer: a code, or `access_denied` (cases 200, 201).
    func decide(_ uri: String, accept: Bool) -> AuthorizationRedirect? {
        guard var request = requests[uri], !request.isFinished else { return nil }
        let state = request.parameters.state.map { [("state", $0)] } ?? []
        let issuer = [("iss", issuer())]
        guard accept, let account = request.account else {
            requests[uri] = nil
            let refusal = [
                ("error", "access_denied"), ("error_description", profile.pages.rejectionText),
            ]
            if let target = profile.pages.rejectionTarget {
                return AuthorizationRedirect(redirectURI: target, mode: "query", parameters: [])
            }
            return redirect(of: request, state + issuer + refusal)
        }
        request.isFinished = true
        requests[uri] = request
        let (client, scope) = (request.parameters.client.clientID, request.parameters.scope)
        granted[account.did, default: [:]][client, default: []].formUnion(scope.tokens)
        return redirect(of: request, state + issuer + [("code", issueCode(for: uri))])
    }

    /// Ends a request with an error.
    func refuse(_ uri: String, _ description: String, error: String = "access_denied")
        -> AuthorizationRedirect?
    {
        requests.removeValue(forKey: uri).map { refusal(of: $0, description, error: error) }
    }

    private func refusal(
        of request: AuthorizationRequest, _ description: String, error: String = "access_denied"
    ) -> AuthorizationRedirect {
        let state = request.parameters.state.map { [("state", $0)] } ?? []
        let refusal = [("error", error), ("error_description", description)]
        return redirect(of: request, [("iss", issuer())] + state + refusal)
    }

    private func redirect(of request: AuthorizationRequest, _ parameters: [(String, String)])
        -> AuthorizationRedirect
    {
        let order = profile.pages.order
        let ordered = order.flatMap { name in parameters.filter { $0.0 == name } }
        return AuthorizationRedirect(
            redirectURI: request.parameters.redirectURI,
            mode: request.parameters.responseMode,
            parameters: order.isEmpty ? parameters : ordered
        )
    }
}
