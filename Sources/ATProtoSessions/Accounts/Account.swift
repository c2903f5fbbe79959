public import ATPNetworking
public import ATProtoIdentity

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The facts about an account without its secrets. The profile and the session are sealed separately, so a rotation
/// never changes the profile.
///
/// An account is a DID and a label. A new login with the same DID and label keeps the ``id``.
public struct Account: Sendable, Hashable {
    /// A random UUID, chosen at the first login. It is never derived from the DID.
    public let id: UUID
    /// The identifier, which stays for good.
    public let did: DID
    /// The handle that was verified last; nil if the handle of the DID document could not be verified.
    public package(set) var handle: ATProtoIdentity.Handle?
    /// Tells several sessions of one account apart.
    public package(set) var label: String?
    /// The PDS from the DID document. It is the audience of the session, and calls go there.
    public package(set) var pds: Origin
    /// The dev network that the account belongs to; nil for the real network. It is never used on another network.
    package let devNetwork: Origin?
    /// When the account was logged in first.
    public let addedAt: Date

    package init(
        id: UUID, did: DID, handle: ATProtoIdentity.Handle?, label: String?, pds: Origin,
        devNetwork: Origin?, addedAt: Date
    ) {
        self.id = id
        self.did = did
        self.handle = handle
        self.label = label
        self.pds = pds
        self.devNetwork = devNetwork
        self.addedAt = addedAt
    }

    /// The names that find the account: handle, DID and label.
    package var names: [String] {
        [handle?.description, did.description, label].compactMap { $0 }
    }

    /// The account in a message for people.
    package var name: String { handle.map { "@\($0)" } ?? did.description }

    /// Whether both accounts have the same DID, label and network. Then a login to one replaces the session of the
    /// other.
    package func isSameLogin(as other: Account) -> Bool { login == other.login }

    /// The login as bytes: the DID, 00, then 00 or 01 and the label, then 00 and the dev network if there is one.
    package var login: [UInt8] {
        let label: [UInt8] = label.map { [1] + Array($0.utf8) } ?? [0]
        let network = devNetwork.map { Array($0.description.utf8) } ?? []
        return Array(did.description.utf8) + [0] + label + [0] + network
    }

    /// The account of a new login with the UUID and date of the account whose session the login replaces.
    package func with(id: UUID, addedAt: Date) -> Account {
        Account(
            id: id, did: did, handle: handle, label: label, pds: pds,
            devNetwork: devNetwork, addedAt: addedAt)
    }

    package func with(label: String?) -> Account {
        var copy = self
        copy.label = label
        return copy
    }

    /// Whether a name is in ``names``, in upper or lower case.
    package func answers(to name: String) -> Bool {
        names.contains { $0.lowercased() == name.lowercased() }
    }
}
