package import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
package import BskyAuthRows
package import FoundationEssentials

/// The member `shared` of `vault.json`: the store of a shared vault, and what this machine is in it.
struct SharedPlace: Sendable, Hashable {
    /// The URL of the store, which has no password.
    let store: String
    var machine: SharedMachine
    /// The password for the store: a ``SealedFile``; nil for none.
    let password: [UInt8]?
    /// Whether this machine has begun to share the vault, and the store does not have all of it yet.
    var isBegun = false

    init(store: String, machine: SharedMachine, password: [UInt8]?) {
        self.store = store
        self.machine = machine
        self.password = password
    }

    init?(_ json: JSONValue) {
        guard let store = json["store"]?.string, let machine = json["machine"].flatMap(SharedMachine.init)
        else { return nil }
        let password = json["password"].map { $0.string.flatMap { Base64URL.decode($0) } }
        if case .some(.none) = password { return nil }
        self.init(store: store, machine: machine, password: password ?? nil)
        isBegun = json["unfinished"]?.bool == true
    }

    var json: JSONValue {
        var members: JSONObject = ["store": .string(store), "machine": machine.json]
        members["password"] = password.map { .string(Base64URL.encode($0)) }
        members["unfinished"] = isBegun ? true : nil
        return .object(members)
    }

    static func password(of vault: UUID) -> SealedFile {
        SealedFile(kind: .storePassword, owner: vault, path: "the password of the store in vault.json")
    }
}

/// A machine that uses a shared vault.
package struct SharedMachine: Sendable, Hashable {
    /// Random. It was chosen when the machine shared or joined the vault.
    package let id: UUID
    /// The machine's name, for people.
    package let name: String
    /// Whether its disk stays when its job ends.
    package let isDurable: Bool
    /// How long other machines wait before they take over the claim of a durable machine. Nil if they never do.
    package let takeover: Duration?

    package init(id: UUID = UUID(), name: String, isDurable: Bool, takeover: Duration? = nil) {
        self.id = id
        self.name = name
        self.isDurable = isDurable
        self.takeover = takeover
    }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string.flatMap(UUID.init(text:)), let name = json["name"]?.string,
            let isDurable = json["durable"]?.bool
        else { return nil }
        self.init(
            id: id, name: name, isDurable: isDurable,
            takeover: json["takeover"]?.integer.map { .seconds($0) })
    }

    var json: JSONValue {
        var members: JSONObject = [
            "id": .string(id.text), "name": .string(name), "durable": .bool(isDurable),
        ]
        members["takeover"] = takeover.map { JSONValue($0.components.seconds) }
        return .object(members)
    }

    /// The same machine in a vault whose durable machines agreed on this time.
    func agreeing(on takeover: Duration?) -> SharedMachine {
        SharedMachine(id: id, name: name, isDurable: isDurable, takeover: isDurable ? takeover : nil)
    }
}

/// Opens the stores of shared vaults. Which kinds there are is up to the program.
package struct StoreOpener: Sendable {
    let limits: SharedStore.Limits
    let rows: @Sendable (_ url: String, _ password: SecretBytes?) throws(VaultError) -> any RowStore

    package init(
        limits: SharedStore.Limits = SharedStore.Limits(),
        _ rows:
            @escaping @Sendable (_ url: String, _ password: SecretBytes?) throws(VaultError) -> any RowStore
    ) {
        self.limits = limits
        self.rows = rows
    }

    /// Opens the rows of a URL, or refuses it. Nothing is sent.
    package func open(_ url: String, _ password: SecretBytes?) throws(VaultError) -> any RowStore {
        try rows(url, password)
    }

    func store(_ place: SharedPlace, of header: UnlockedHeader) throws(VaultError) -> SharedStore {
        var password: SecretBytes?
        if let sealed = place.password {
            password = try SharedPlace.password(of: header.id).open(sealed, under: header.keys).content
        }
        return SharedStore(
            rows: try rows(place.store, password), machine: place.machine, limits: limits)
    }
}
