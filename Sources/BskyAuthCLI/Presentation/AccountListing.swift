internal import ATProto
internal import BskyAuthCore
internal import FoundationEssentials
internal import JSON
internal import Networking

/// The accounts as `accounts` lists them.
struct AccountListing {
    var entries: [AccountStore.Entry] = []
    var active: UUID?
    /// nil where nobody asked for them.
    var checks: CheckReport?

    var profiles: [AccountProfile] {
        entries.compactMap { if case .account(let profile, _) = $0 { profile } else { nil } }
    }

    // MARK: For programs

    func json(now: Date) -> JSONValue {
        let accounts = entries.map { entry -> JSONValue in
            let account: JSONValue
            let item: CheckReport.Item?
            switch entry {
            case .account(let profile, let session):
                account = AccountText.json(profile, session, isActive: profile.id == active, now: now)
                item = checks?[profile.id]
            case .unreadable(let id, let error):
                account = AccountText.unreadable(id, isActive: id == active)
                item = checks.map { _ in .unknown(ErrorPresenter.failure(error)) }
            }
            var members = account.object ?? JSONObject()
            members["check"] = item?.json ?? .null
            return .object(members)
        }
        return [
            "schema": "bskyauth.accounts/1",
            "active": JSONValue(active?.shown),
            "accounts": .array(accounts),
        ]
    }

    // MARK: For people

    func table(now: Date) -> Table {
        let check = checks == nil ? [] : ["CHECK"]
        let header = ["", "ACCOUNT", "LABEL", "STATE"] + check + ["SESSION ENDS", "ID", "PDS"]
        var table = Table(header: header, flexible: [1, 2, header.count - 1])
        for entry in entries { table.append(cells: row(entry, now)) }
        return table
    }

    private func row(_ entry: AccountStore.Entry, _ now: Date) -> [Table.Cell] {
        func mark(_ id: UUID) -> Table.Cell { .init(id == active ? "*" : "", .good) }
        func short(_ id: UUID) -> Table.Cell { .init(String(id.shown.prefix(8))) }
        switch entry {
        case .account(let profile, let session):
            let state = AccountText.state(profile, session, now: now)
            let check = checks.map { [$0[profile.id]?.cell ?? .init("-")] } ?? []
            return [
                mark(profile.id), .init(profile.handle?.description ?? profile.did.description),
                .init(profile.label?.shown ?? "-"), .init(state, Self.style(ofState: state)),
            ] + check + [
                .init(TimeText.relative(session.endsAt, to: now)), short(profile.id),
                .init(profile.pds.authority),
            ]
        case .unreadable(let id, _):
            let check: [Table.Cell] = checks == nil ? [] : [.init("-")]
            return [mark(id), .init("?"), .init("-"), .init("unreadable", .bad)] + check
                + [.init("-"), short(id), .init("-")]
        }
    }

    private static func style(ofState state: String) -> TextStyle? {
        switch state {
        case "ok": nil
        case "expiring", "uncertain": .warning
        default: .bad
        }
    }

    /// What is wrong with accounts, in the order of the list.
    var failures: [Failure] {
        entries.compactMap { entry in
            switch entry {
            case .account(let profile, _): checks?[profile.id]?.failure
            case .unreadable(_, let error): ErrorPresenter.failure(error)
            }
        }
    }

    /// What the command ends with: listing what is wrong is no failure, checking it is.
    var failure: Failure? { checks == nil ? nil : failures.first }

    /// Sessions that have ended or soon will, with what to do; the first ones of very many.
    func warnings(now: Date) -> [String] {
        let all = entries.compactMap { entry -> String? in
            guard case .account(let profile, let session) = entry, checks?[profile.id]?.failure == nil else {
                return nil
            }
            return Self.warning(profile, session, now)
        }
        let rest = all.count - Self.mostWarnings
        return all.prefix(Self.mostWarnings) + (rest > 0 ? ["and \(rest) more like that"] : [])
    }

    private static func warning(_ profile: AccountProfile, _ session: Session, _ now: Date) -> String? {
        let failure: Failure
        switch AccountText.state(profile, session, now: now) {
        case "expiring": failure = ErrorPresenter.sessionEndsSoon(profile, session, now: now)
        case "expired": failure = ErrorPresenter.failure(CoreError.sessionEnded(profile, .expired))
        case "uncertain": failure = ErrorPresenter.failure(CoreError.sessionEnded(profile, .uncertain))
        default: return nil
        }
        return failure.message + (failure.hint.map { "\n  \($0)" } ?? "")
    }

    private static let mostWarnings = 5
}
