extension AuthorizationServer {
    /// Answers the request of a confidential client without a question, if the reference server does.
    func unasked(_ request: AuthorizationRequest, _ browser: Browser, _ exchange: Exchange) async -> Answer? {
        switch await state.unasked(request) {
        case nil: return nil
        case .approved(let account):
            exchange.note { $0.account = account.did }
            await state.use(account, for: request.uri)
            return await decide(request.uri, for: account, accept: true).map { answer($0, browser) }
        case .consent(let account):
            exchange.note { $0.account = account.did }
            await state.use(account, for: request.uri)
            return consentPage(request, account, browser)
        case .refused(let error, let description):
            return await state.refuse(request.uri, description, error: error).map { answer($0, browser) }
        }
    }
}
