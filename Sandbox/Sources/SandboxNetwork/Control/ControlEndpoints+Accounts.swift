import Foundation

extension ControlEndpoints {
    /// Makes an account.
    func create(_ json: JSONValue) throws(Fault.Malformed) -> Answer {
        guard let handle = json["handle"]?.string else { throw Fault.Malformed(reason: "handle is required") }
        do {
            let account = try accounts.create(
                handle: handle, password: json["password"]?.string ?? defaultPassword,
                did: json["did"]?.string)
            _ = accounts.update(account.did) { $0.emailFactor = json["email_factor"]?.string }
            return .json(Self.summary(account))
        } catch AccountRegistry.Refusal.taken {
            throw Fault.Malformed(reason: "the handle or DID is taken")
        } catch {
            throw Fault.Malformed(reason: "the handle or DID is not well-formed")
        }
    }

    /// Changes the password or the second factor, deactivates the account, or changes its DID document. A new password
    /// ends the password sessions (`protocol:A5`).
    func update(_ json: JSONValue) async throws(Fault.Malformed) -> Answer {
        try Fault.allow(
            [
                "did", "handle", "password", "email_factor", "active", "rotate_signing_key", "tombstoned",
                "pds",
            ], in: json, "account")
        let server = try server(in: json)
        let rotates = json["rotate_signing_key"]?.bool == true
        let account = accounts.update(try identifier(in: json)) { account in
            if let password = json["password"]?.string { account.password = password }
            if let factor = json["email_factor"] { account.emailFactor = factor.string }
            if let isActive = json["active"]?.bool { account.isActive = isActive }
            if rotates { account.rotateSigningKey(at: clock.now) }
            if let server, server != account.server { account.move(to: server, at: clock.now) }
            if json["pds"] == .null, account.server != nil { account.move(to: nil, at: clock.now) }
            switch json["tombstoned"]?.bool {
            case true where !account.isTombstoned: account.tombstone(at: clock.now)
            case false where account.isTombstoned: account.name(account.multikey, at: clock.now)
            default: break
            }
        }
        guard let account else { throw Self.noAccount }
        if rotates { await repositories.resign(account) }
        if json["password"]?.string != nil { _ = await passwordSessions.end(of: account.did) }
        return .json(Self.summary(account))
    }

    /// The PDS that an account moves to; `nil` for none.
    private func server(in json: JSONValue) throws(Fault.Malformed) -> String? {
        guard let value = json["pds"], value != .null else { return nil }
        guard let text = value.string, let url = URL(string: text), let host = url.host,
            ["http", "https"].contains(url.scheme), !host.isEmpty,
            text == "\(url.scheme ?? "")://\(host)\(url.port.map { ":\($0)" } ?? "")"
        else { throw Fault.Malformed(reason: "pds is the URL of a server, without a path") }
        return text
    }

    /// Makes an app password.
    func addAppPassword(_ json: JSONValue) throws(Fault.Malformed) -> Answer {
        try Fault.allow(["did", "handle", "password", "privileged"], in: json, "app password")
        let isPrivileged = json["privileged"]?.bool == true
        let made = json["password"]?.string.map { AppPassword($0, isPrivileged: isPrivileged) }
        guard let password = made ?? .random(isPrivileged: isPrivileged) else {
            throw Fault.Malformed(reason: "an app password has the form xxxx-xxxx-xxxx-xxxx")
        }
        let account = accounts.update(try identifier(in: json)) { account in
            account.appPasswords.removeAll { $0.text == password.text }
            account.appPasswords.append(password)
        }
        guard let account else { throw Self.noAccount }
        return .json(["did": .string(account.did), "password": .string(password.text)])
    }

    /// Revokes an app password. Its sessions can't be refreshed any more (`protocol:A5`).
    func revokeAppPassword(_ json: JSONValue) async throws(Fault.Malformed) -> Answer {
        try Fault.allow(["did", "handle", "password"], in: json, "app password")
        let text = json["password"]?.string ?? ""
        let account = accounts.update(try identifier(in: json)) { account in
            account.appPasswords.removeAll { $0.text == text }
        }
        guard let account else { throw Self.noAccount }
        return .json(["ended": JSONValue(await passwordSessions.end(of: account.did, appPassword: text))])
    }

    /// Ends the OAuth and password sessions of an account. Access JWTs stay valid until they expire.
    func endSessions(_ json: JSONValue) async throws(Fault.Malformed) -> Answer {
        let did = json["did"]?.string ?? ""
        let ended = await state.endSessions(of: did) + passwordSessions.end(of: did)
        return .json(["ended": JSONValue(ended)])
    }

    static func summary(_ account: Account) -> JSONValue {
        ["did": .string(account.did), "handle": .string(account.handle)]
    }

    static let noAccount = Fault.Malformed(reason: "there is no such account")

    func identifier(in json: JSONValue) throws(Fault.Malformed) -> String {
        guard let identifier = (json["did"] ?? json["handle"])?.string else {
            throw Fault.Malformed(reason: "did or handle is required")
        }
        return identifier
    }
}
