/// The form of a server's error answer.
struct FailureWords: Sendable {
    let status: Int
    var error: String?
    /// The name and the text of the member that explains the error. `{}` is replaced by the failure's subject,
    /// `{kind}` by the subject up to a colon, and `{url}` by the subject without spaces.
    var detail: (name: String, text: String)?
    var challenge: String?

    /// The server drops the connection. A proxy answers 502 without a body then.
    static let crash = FailureWords(status: 502)

    /// A status and an `error` without an explanation.
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

extension Answer {
    /// Whether the answer is that of a proxy before a server that dropped the connection.
    var isCrash: Bool { status == FailureWords.crash.status && bytes == [] }
}

extension OAuthFailure {
    /// A kind of failure that servers word differently.
    enum Reason: Sendable {
        case other
        case nonceNeeded, badProof, proofMissing, declaredKey
        case mediaType, wrongVerb, responseType, challengeMethod
        case clientIDMissingAtPush, clientIDMissing, clientUnknown, clientDocument, parameterMissing
        case assertionMissing, assertionKeyMissing, assertionKeyUnknown, assertionInvalid, assertionReused
        case redirectUnknown
        case scopeUnknown, scopeWithoutAtproto, requestUnknown
        case grantUnknown, codeMissing, codeUnknown, clientMismatch, redirectMismatch, keyMismatch
        case verifierMissing, verifierShort, verifierWrong
        case refreshTokenMissing, refreshTokenUnknown, refreshKeyMismatch
        case methodMismatch, sessionExpired, refreshTokenExpired
    }
}

extension XRPCFailure {
    /// A kind of failure that servers word differently.
    enum Reason: Sendable {
        case other
        case authorizationMissing, authorizationScheme, authorizationMalformed
        case nonceNeeded, badProof, proofMissing, keyMismatch, badToken, expiredToken, scopeMissing
        case jwtMalformed, jwtUnverified, jwtOfOAuth, jwtRevoked, wrongPassword
        case methodUnknown, routeUnknown, notJSON, otherRepository, blobUnknown
        case handleUnknown, handleInvalid, handleMissing
    }
}
