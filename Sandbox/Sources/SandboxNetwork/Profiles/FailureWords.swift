/// How a server says that something failed.
struct FailureWords: Sendable {
    let status: Int
    var error: String?
    /// Name and text of the member that explains; `{}` stands for what the failure is about, and
    /// `{kind}` for that up to a colon, `{url}` for that without spaces.
    var detail: (name: String, text: String)?
    var challenge: String?

    /// The connection drops: behind a proxy that is a 502 without a body.
    static let crash = FailureWords(status: 502)

    /// A status and an `error`, and nothing to explain it.
    static func bare(_ status: Int, _ error: String) -> FailureWords {
        FailureWords(status: status, error: error)
    }

    func answer(about subject: String) -> Answer {
        guard error != nil || detail != nil else { return Answer(status: status) }
        func filled(_ text: String) -> String {
            text.replacing("{}", with: subject)
                .replacing("{kind}", with: subject.prefix { $0 != ":" })
                .replacing("{url}", with: subject.replacing(" ", with: "%20"))
        }
        var members: [JSONMember] = []
        if let error { members.append(JSONMember(name: "error", value: .string(filled(error)))) }
        if let detail { members.append(JSONMember(name: detail.name, value: .string(filled(detail.text)))) }
        var headers: HeaderList = [:]
        headers["www-authenticate"] = challenge.map(filled)
        return .json(.object(members), status: status, headers: headers)
    }
}

extension OAuthFailure {
    /// What went wrong, where servers have different words for it.
    enum Reason: Sendable {
        case other
        case nonceNeeded, badProof, proofMissing, declaredKey
        case mediaType, wrongVerb, responseType, challengeMethod
        case clientIDMissingAtPush, clientIDMissing, clientUnknown, parameterMissing, redirectUnknown
        case scopeUnknown, scopeWithoutAtproto, requestUnknown
        case grantUnknown, codeMissing, codeUnknown, clientMismatch, redirectMismatch, keyMismatch
        case verifierMissing, verifierShort, verifierWrong
        case refreshTokenMissing, refreshTokenUnknown, refreshKeyMismatch
    }
}

extension XRPCFailure {
    /// What went wrong, where servers have different words for it.
    enum Reason: Sendable {
        case other
        case authorizationMissing, authorizationScheme, authorizationMalformed
        case nonceNeeded, badProof, proofMissing, keyMismatch, badToken, expiredToken, scopeMissing
        case jwtMalformed, jwtUnverified, jwtOfOAuth, jwtRevoked, wrongPassword
        case methodUnknown, routeUnknown, notJSON, otherRepository, blobUnknown
        case handleUnknown, handleInvalid, handleMissing
    }
}
