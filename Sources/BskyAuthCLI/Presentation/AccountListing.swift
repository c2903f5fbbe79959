internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

/// The list of the `accounts` command.
struct AccountListing: Sendable {
    var active: UUID?
    /// The error that hides which account is active; nil if that is known.
    var activeDamage: Failure?
    /// nil if they were not requested.
    var checks: CheckReport?
    var now: Date
    /// The accounts of the list, for what is beside their records; nil without a vault.
    var accounts: VaultAccounts?
    /// The server that an account has moved to, if an earlier command found out.
    var knownMove: @Sendable (Account) -> Origin? = { _ in nil }

    /// One account in the list.
    struct Item<Shown: Sendable>: Sendable {
        /// The account in a message.
        let name: String
        let shown: Shown
        /// What is wrong with it.
        var failure: Failure?
        /// That it has moved, or that its session has ended or soon will, with what to do.
        var warning: String?
    }

    /// What the command ends with: the first account that can't be read, or that a check found a problem with.
    func failure<Shown>(_ items: [Item<Shown>]) -> Failure? {
        activeDamage ?? items.lazy.compactMap(\.failure).first
    }

    // MARK: For programs

    func object(_ entry: VaultAccounts.Entry) -> Item<JSONValue> {
        switch entry {
        case .account(let account, let session):
            let check = checks?[account.id]
            let json = AccountText.json(
                account, session, unclear: accounts?.unclearIntent(of: account.id, session),
                isActive: account.id == active, now: now)
            return Item(
                name: AccountText.name(account), shown: with(check, json, movedTo: knownMove(account)),
                failure: check?.failure)
        case .unreadable(let id, let error):
            let failure = ErrorPresenter.failure(for: error)
            let json = AccountText.unreadable(id, isActive: id == active)
            return Item(
                name: id.text, shown: with(checks.map { _ in .unknown(failure) }, json), failure: failure)
        }
    }

    private func with(
        _ check: CheckReport.Item?, _ account: JSONValue, movedTo server: Origin? = nil
    ) -> JSONValue {
        var members = account.object ?? JSONObject()
        members["check"] = check?.json ?? .null
        members["moved_to"] = JSONValue(server?.description)
        return .object(members)
    }

    func document(_ items: [Item<JSONValue>]) -> JSONValue {
        [
            "schema": "bskyauth.accounts/1",
            "active": JSONValue(active?.text),
            "accounts": .array(items.map(\.shown)),
        ]
    }

    // MARK: For people

    func row(_ entry: VaultAccounts.Entry) -> Item<[Table.Cell]> {
        func mark(_ id: UUID) -> Table.Cell { .init(id == active ? "*" : "", .good) }
        func short(_ id: UUID) -> Table.Cell { .init(String(id.text.prefix(8))) }
        switch entry {
        case .account(let account, let session):
            let item = checks?[account.id]
            let state = AccountText.state(account, session, now: now)
            let intent = accounts?.unclearIntent(of: account.id, session)
            let shownState: Table.Cell =
                intent == nil
                ? .init(state, Self.style(ofState: state)) : .init("\(state), refresh open", .warning)
            let check = checks == nil ? [] : [item?.cell ?? .init("-")]
            let cells =
                [
                    mark(account.id), .init(account.handle?.description ?? account.did.description),
                    .init(account.label?.escapedForTerminal ?? "-"), shownState,
                ] + check + [
                    .init(AccountText.endWords(account, session, now: now) ?? "-"), short(account.id),
                    .init(account.pds.authority),
                ]
            let concern =
                knownMove(account).map {
                    ErrorPresenter.moved(account, AccountLogin(account, session).terms, to: $0)
                }
                ?? ErrorPresenter.concern(account, session, unclear: intent, now: now)
            let warning = item?.failure == nil ? concern?.note : nil
            return Item(
                name: AccountText.name(account), shown: cells, failure: item?.failure, warning: warning)
        case .unreadable(let id, let error):
            let check: [Table.Cell] = checks == nil ? [] : [.init("-")]
            let cells =
                [mark(id), .init("?"), .init("-"), .init("unreadable", .bad)] + check
                + [.init("-"), short(id), .init("-")]
            return Item(name: id.text, shown: cells, failure: ErrorPresenter.failure(for: error))
        }
    }

    func table(_ items: [Item<[Table.Cell]>]) -> Table {
        let check = checks == nil ? [] : ["CHECK"]
        let header = ["", "ACCOUNT", "LABEL", "STATE"] + check + ["SESSION ENDS", "ID", "PDS"]
        var table = Table(header: header, flexible: [1, 2, header.count - 1])
        for item in items { table.append(cells: item.shown) }
        return table
    }

    /// What is wrong with the accounts. Accounts with the same failure share one message, which names them.
    func failures(_ items: [Item<[Table.Cell]>]) -> [Failure] {
        var order: [String] = []
        var groups: [String: (failure: Failure, names: [String])] = [:]
        for item in items {
            guard let failure = item.failure else { continue }
            let key = "\(failure.message)\n\(failure.hint ?? "")"
            if groups[key] == nil { order.append(key) }
            groups[key, default: (failure, [])].names.append(item.name)
        }
        return order.compactMap { groups[$0] }.map { $0.failure.naming($0.names) }
    }

    private static func style(ofState state: String) -> TextStyle? {
        switch state {
        case "ok": nil
        case "expiring", "uncertain": .warning
        default: .bad
        }
    }

    /// The first ones of very many.
    func warnings(_ items: [Item<[Table.Cell]>]) -> [String] {
        let all = items.compactMap(\.warning)
        let rest = all.count - Self.mostWarnings
        return all.prefix(Self.mostWarnings) + (rest > 0 ? ["and \(rest) more accounts like this"] : [])
    }

    private static let mostWarnings = 5
}
