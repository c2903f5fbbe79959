internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// The lines of `doctor` about the proxy, DNS, the directory of DIDs, the clock and servers.
extension Diagnosis {
    static func proxy(_ proxy: String?) -> Diagnosis {
        .ok("proxy", proxy.map { "requests go through \($0.escapedForTerminal)" } ?? "no proxy is used")
    }

    static func dns(_ server: String?, _ error: TextRecordError?, asking name: String) -> Diagnosis {
        if let error {
            let failure = ErrorPresenter.failure(
                IdentityError(.textRecords(error), step: .handleTextRecord, subject: name))
            return .failed("dns", failure)
        }
        return .ok(
            "dns", "\(server?.escapedForTerminal ?? "the system's resolver") answers queries for TXT records")
    }

    static var dnsUnused: Diagnosis { .ok("dns", "not used: the dev network resolves handles itself") }

    static func directory(_ url: HTTPURL) -> Diagnosis {
        .ok("directory", "\(url.origin.host) answers over \(url.origin.scheme.rawValue)")
    }

    static func directoryFails(_ url: HTTPURL, status: Int) -> Diagnosis {
        .failed(
            "directory",
            Failure(
                .serverError, "server_error", "\(url.origin.host) failed: HTTP \(status)",
                hint: "run the command again later", http: status))
    }

    /// - Parameter skew: seconds that the server is ahead; nil if its response has no date.
    static func clock(skew: Int64?, of url: HTTPURL) -> Diagnosis {
        let host = url.origin.host
        guard let skew else {
            return .warning(
                "clock", "\(host) sends no Date header, so the clock can't be compared",
                "compare by hand: date -u")
        }
        guard abs(skew) > tolerated else { return .ok("clock", "the clock agrees with \(host)") }
        let distance = TimeText.length(Double(abs(skew)))
        let words = "your clock is \(distance) \(skew > 0 ? "behind" : "ahead of") \(host)"
        let hint = "set the clock:  timedatectl set-ntp true"
        guard abs(skew) > corrected else {
            return .warning("clock", "\(words); bskyauth corrects for it in DPoP proofs", hint)
        }
        return .failed(
            "clock",
            Failure(.refused, "clock_skew", "\(words), so servers will refuse DPoP proofs", hint: hint))
    }

    /// The difference of clocks in seconds that causes no problem.
    private static let tolerated: Int64 = 30
    /// The largest clock offset in seconds that proofs are corrected by.
    private static let corrected: Int64 = 86400

    // MARK: Accounts

    static func servers(_ finding: ServerCheckFlow.Finding) -> Diagnosis {
        let accounts = finding.accounts
        let name = accounts.first.map(AccountText.name) ?? ""
        let who = accounts.count > 1 ? "\(name) and \(accounts.count - 1) more" : name
        if let move = finding.move {
            return .failed(
                "servers", ErrorPresenter.moved(move.login.account, move.login.terms, to: move.server))
        }
        switch finding.result {
        case .success:
            return .ok("servers", "\(words(finding.servers)), for \(who)")
        case .failure(let error):
            let failure = ErrorPresenter.failure(for: error)
            return Diagnosis(
                name: "servers", verdict: .failed, message: "for \(who): \(failure.message)",
                hint: failure.hint, failure: failure)
        }
    }

    /// - Parameter concern: what a person should know about a session. It is a failure if no command can use the session.
    static func session(_ concern: Failure?) -> Diagnosis? {
        guard let concern else { return nil }
        let hasEnded = concern.status == .loginNeeded && concern.code != ErrorPresenter.endsSoonCode
        guard !hasEnded else { return .failed("session", concern) }
        return .warning("session", concern.message, concern.hint ?? "bskyauth accounts")
    }

    /// A refresh that the server could not make, so that the next one has to wait.
    static func postponed(_ account: Account, _ answer: RotationIntent.Answer) -> Diagnosis {
        .warning(
            "refresh",
            "the server could not refresh the session of \(AccountText.name(account)) (HTTP \(answer.status)); "
                + "no refresh is sent before \(TimeText.rfc3339(answer.notBefore))",
            "wait until then:  bskyauth refresh \(AccountText.selector(account))")
    }

    private static func words(_ servers: ServerCheckFlow.Servers) -> String {
        switch servers {
        case .oauth(let pds, let issuer) where pds.description == issuer.description:
            "\(pds.authority) answers as PDS and authorization server"
        case .oauth(let pds, let issuer):
            "PDS \(pds.authority) and authorization server \(issuer.url.origin.authority) answer"
        case .password(let service): "\(service.authority) answers"
        }
    }
}
