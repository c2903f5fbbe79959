internal import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
package import FoundationEssentials

/// The record of an account in the store of a shared vault: the row `accounts/UUID`.
///
/// The row is a ``SealedFile`` of the kind `shared`, so the store sees no more than the account's UUID and the generation, and
/// every changed byte is noticed. The generation is that of the session. A claim does not change it: the store's revision
/// tells the states of a row apart.
///
/// The content is JSON: `profile` and `session` are the content of the local records in Base64URL, `claim` is a
/// ``SharedClaim``, and `attempt` is the archive of a ``RotationIntent``. `repair` has the machines that a repair waits for. After a
/// logout, only `gone` is there, which is true.
struct SharedRecord: Sendable {
    /// The content of the account's records; nil after a logout.
    var account: AccountRecords?
    var generation: UInt64
    /// The claim of the machine that may spend the session's refresh token; nil if any machine may claim it.
    var claim: SharedClaim?
    /// An earlier attempt that may have spent the token, if there was one.
    var attempt: RotationIntent?
    /// The machines that have to offer their session, because the store went back. No machine claims the session before all have.
    var awaited: [SharedMachine] = []

    init(account: AccountRecords?, generation: UInt64, attempt: RotationIntent? = nil) {
        self.account = account
        self.generation = generation
        self.attempt = attempt
    }

    static func key(_ id: UUID) -> String { keys + id.text }
    /// What the keys of all accounts begin with.
    static let keys = "accounts/"

    static func file(_ id: UUID) -> SealedFile {
        SealedFile(kind: .shared, owner: id, path: place + id.text)
    }

    /// What the name of a row in messages begins with.
    fileprivate static let place = "the shared record of account "

    /// The facts about the account, which are decoded anew each time; nil after a logout.
    func decodedAccount(of id: UUID) throws(VaultError) -> Account? {
        try account.map { account throws(VaultError) in try Account(account.profile, of: id) }
    }

    /// The session, which is decoded anew each time.
    func session(of id: UUID) throws(VaultError) -> Session? {
        guard let account else { return nil }
        do { return try Session(record: account.session) } catch {
            throw Self.file(id).damaged("has an unreadable \(error.member)")
        }
    }
}

extension VaultError {
    /// The row in the store of a shared vault that is damaged; nil for another error.
    package var damagedRow: String? {
        guard case .damaged(let file, _) = self, file.hasPrefix(SharedRecord.place) else { return nil }
        return SharedRecord.keys + file.dropFirst(SharedRecord.place.count)
    }
}

extension SharedRecord {
    func sealed(as id: UUID, in files: SealedFileStore) throws(VaultError) -> [UInt8] {
        var members = JSONObject()
        if let account {
            members["profile"] = .string(Base64URL.encode(account.profile.bytes))
            members["session"] = .string(Base64URL.encode(account.session.bytes))
            members["claim"] = claim?.json
            members["attempt"] = attempt.map { .string($0.archive) }
            members["repair"] = awaited.isEmpty ? nil : .array(awaited.map(\.json))
        } else {
            members["gone"] = true
        }
        let content = SecretBytes(clearing: Array(JSONValue.object(members).text.utf8))
        return try files.seal(content, generation: generation, as: Self.file(id))
    }

    init(_ bytes: [UInt8], of id: UUID, in files: SealedFileStore) throws(VaultError) {
        let file = Self.file(id)
        let record = try files.open(file, bytes).record
        generation = record.generation
        guard let json = try? JSONParser.parse(record.content.bytes) else {
            throw file.damaged("is not JSON")
        }
        if json["gone"]?.bool == true {
            account = nil
            return
        }
        guard let profile = json["profile"]?.string.flatMap({ Base64URL.decode($0) }),
            let session = json["session"]?.string.flatMap({ Base64URL.decode($0) })
        else { throw file.damaged("has a missing or invalid member") }
        account = AccountRecords(
            profile: SecretBytes(clearing: profile), session: SecretBytes(clearing: session))
        if let found = json["claim"] {
            guard let claim = SharedClaim(found) else { throw file.damaged("has an unreadable claim") }
            self.claim = claim
        }
        if let found = json["attempt"] {
            guard let attempt = found.string.flatMap(RotationIntent.init(archive:)) else {
                throw file.damaged("has an unreadable attempt")
            }
            self.attempt = attempt
        }
        if let found = json["repair"] {
            let machines = found.array?.map(SharedMachine.init)
            guard let machines, !machines.contains(nil) else {
                throw file.damaged("has an unreadable repair")
            }
            awaited = machines.compactMap(\.self)
        }
    }
}

extension SharedRecord {
    /// Notes that a machine has offered its session, or never will. After the last one, the claim of a durable machine is removed:
    /// it may be one from before the store went back, and then no intent names it any more. The token may have been sent under it.
    mutating func noteRepair(by machine: UUID, token: String?) {
        awaited.removeAll { $0.id == machine }
        guard awaited.isEmpty, claim?.machine.isDurable == true else { return }
        claim = nil
        if let token {
            attempt =
                attempt ?? RotationIntent(tokenFingerprint: token, startedAt: .distantPast, attempt: 1)
        }
    }
}

/// The right of one machine to spend a refresh token. It ends by its result, not by time.
package struct SharedClaim: Sendable, Hashable {
    /// Random, and different for each claim.
    let id: UUID
    package let machine: SharedMachine
    /// The time on the machine's clock, for people.
    package let startedAt: Date
    /// Whether somebody said that the machine never returns, so that others take the claim over.
    var isForgotten = false

    package init(id: UUID, machine: SharedMachine, startedAt: Date, isForgotten: Bool = false) {
        self.id = id
        self.machine = machine
        self.startedAt = startedAt
        self.isForgotten = isForgotten
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string.flatMap(UUID.init(text:)),
            let machine = json["machine"].flatMap(SharedMachine.init), let at = json["at"]?.integer
        else { return nil }
        self.init(
            id: id, machine: machine, startedAt: Date(timeIntervalSince1970: Double(at)),
            isForgotten: json["forgotten"]?.bool == true)
    }

    /// ``startedAt`` as the record has it: seconds since 1970.
    var written: Int64 { Int64(startedAt.timeIntervalSince1970) }

    fileprivate var json: JSONValue {
        var members: JSONObject = [
            "id": .string(id.text), "machine": machine.json,
            "at": JSONValue(written),
        ]
        members["forgotten"] = isForgotten ? true : nil
        return .object(members)
    }
}
