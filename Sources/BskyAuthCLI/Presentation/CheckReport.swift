internal import ATPJSON
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import BskyAuthCore
internal import FoundationEssentials

/// The results of checking sessions at their servers, for each account.
struct CheckReport: Sendable {
    struct Item: Sendable {
        let verdict: Verdict
        let failure: Failure?

        /// Nothing was found out.
        static func unknown(_ failure: Failure) -> Item { Item(verdict: .unknown, failure: failure) }

        var json: JSONValue {
            ["verdict": .string(verdict.rawValue), "error": JSONValue(failure?.code)]
        }

        var cell: Table.Cell { .init(verdict.rawValue, verdict.style) }
    }

    /// The JSON for scripts.
    enum Verdict: String, Sendable {
        case works
        /// The user has to log in.
        case ended
        /// The server refuses the session, or names another account.
        case refused
        /// The server could not be asked, or failed.
        case unknown

        var style: TextStyle {
            switch self {
            case .works: .good
            case .ended, .refused: .bad
            case .unknown: .warning
            }
        }
    }

    private let items: [UUID: Item]

    init(_ findings: [SessionCheckFlow.Finding], _ accounts: VaultAccounts) {
        let items = findings.map { ($0.account.id, Self.item($0, accounts)) }
        self.items = Dictionary(items, uniquingKeysWith: { $1 })
    }

    subscript(id: UUID) -> Item? { items[id] }

    private static func item(_ finding: SessionCheckFlow.Finding, _ accounts: VaultAccounts) -> Item {
        let account = finding.account
        switch finding.verdict {
        case .works: return Item(verdict: .works, failure: nil)
        case .moved(let server):
            let terms = accounts.terms(of: account)
            return Item(verdict: .ended, failure: ErrorPresenter.moved(account, terms, to: server))
        case .inactive(let error, let finding):
            let refusal = CallRefusal(
                XRPCRequest(.query, .getSession), error,
                from: .inactiveAccount(account, accounts.terms(of: account), finding))
            let failure = ErrorPresenter.failure(refusal)
            return Item(verdict: failure.status == .loginNeeded ? .ended : .refused, failure: failure)
        case .otherAccount:
            let terms = accounts.terms(of: account)
            return Item(verdict: .refused, failure: ErrorPresenter.otherAccount(account, terms))
        case .refused(let error):
            let refusal = CallRefusal(
                XRPCRequest(.query, .getSession), error, from: .account(account, accounts.terms(of: account)))
            let failure = ErrorPresenter.failure(refusal)
            return Item(verdict: error.isTransient ? .unknown : .refused, failure: failure)
        case .failed(let error):
            let failure = ErrorPresenter.failure(for: error)
            return Item(verdict: failure.status == .loginNeeded ? .ended : .unknown, failure: failure)
        }
    }
}
