internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoXRPC
internal import OAuthDPoP

extension CallFlow {
    /// Asks for a nonce before a long body is sent, if no recent one is known.
    ///
    /// A server may refuse the proof before it reads the body. Then the first sending is in vain, and a proxy between may lose
    /// the server's answer. Without an answer to this request the call is sent all the same, unless the server can't be
    /// reached.
    func learnNonce(
        before request: TransportRequest, _ client: DPoPClient, _ account: Account,
        _ credential: OAuthCredential, _ session: Session
    ) async throws(OAuthError) {
        guard request.body.isLong,
            !cache.hasNonce(for: account.pds, role: .resourceServer, within: SessionCache.nonceLife)
        else { return }
        let question = XRPCRequest(.query, .getSession).transportRequest(to: account.pds, timeouts: .metadata)
        do {
            try await client.learnNonce(by: question, key: credential.key, accessToken: session.accessToken)
        } catch {
            if case .transport(let failure) = error.code, !failure.requestWasSent { throw error }
            context.network.note("no nonce could be learned", error)
        }
    }
}
