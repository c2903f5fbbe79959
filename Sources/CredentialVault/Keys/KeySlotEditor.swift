package import Cryptography
internal import FoundationEssentials
internal import Platform

/// The key slots: every way of opening the vault, each of which wraps the same vault key.
extension CredentialVault {
    /// Adds a way of opening the vault. A key file that does not exist is made.
    ///
    /// - Parameters:
    ///   - name: what tells it from the others; nil for the name of its kind, with a number where that is taken.
    ///   - cost: of a passphrase; a key file has none.
    /// - Returns: the name it got.
    @discardableResult
    package func addKey(
        _ source: KeySource, named name: String?, cost: Scrypt.Parameters = .standard
    ) throws(VaultError) -> String {
        // Before a key file is made, and looked at again under the lock.
        if let name, try Self.header(layout).slots.contains(where: { $0.name == name }) {
            throw .keyNameTaken(name)
        }
        // Before the header is locked: deriving takes a while.
        let secret = try source.newSecret()
        let slot = try slot(source, secret, cost, label: name)
        return try changeSlots { slots throws(VaultError) in
            guard slots.count < VaultHeader.mostSlots else {
                throw .tooManyKeys(limit: VaultHeader.mostSlots)
            }
            // Twice there, a key file would still open the vault when one is removed.
            if case .keyFile(let path) = source,
                let index = try Self.slot(of: Self.header(layout), opening: source, secret)
            {
                throw .keyFileAdded(path: path, name: slots[index].name)
            }
            let taken = slots.map(\.name)
            if let name {
                guard !taken.contains(name) else { throw .keyNameTaken(name) }
                slots.append(slot)
                return name
            }
            var free = slot.name
            var number = 1
            while taken.contains(free) {
                number += 1
                free = "\(slot.name)-\(number)"
            }
            slots.append(number == 1 ? slot : slot.labelled(free))
            return free
        }
    }

    /// Removes a way of opening the vault, but not the last one. What the vault key was known to before is not
    /// changed by it.
    package func removeKey(named name: String) throws(VaultError) {
        try changeSlots { slots throws(VaultError) in
            let index = try Self.index(of: name, in: slots)
            guard slots.count > 1 else { throw .lastKey(name) }
            slots.remove(at: index)
        }
    }

    /// Replaces the passphrase of a slot, at the cost that is standard now.
    package func changePassphrase(
        of name: String, to passphrase: SecretBytes, cost: Scrypt.Parameters = .standard
    ) throws(VaultError) {
        let source = KeySource.passphrase(passphrase)
        let slot = try slot(source, passphrase, cost, label: nil)
        try changeSlots { slots throws(VaultError) in
            let index = try Self.index(of: name, in: slots)
            guard slots[index].method.fits(source) else { throw .noSuchKey(name, known: slots.map(\.name)) }
            slots[index] = slot.labelled(slots[index].label)
        }
    }

    private func slot(
        _ source: KeySource, _ secret: SecretBytes, _ cost: Scrypt.Parameters, label: String?
    ) throws(VaultError) -> KeySlot {
        do {
            return try KeySlot(for: source, secret, cost, of: id, keys, label: label)
        } catch {
            throw .cryptography(error)
        }
    }

    private static func index(of name: String, in slots: [KeySlot]) throws(VaultError) -> Int {
        guard let index = slots.firstIndex(where: { $0.name == name }) else {
            throw .noSuchKey(name, known: slots.map(\.name))
        }
        return index
    }

    private func changeSlots<Value>(
        _ change: (inout [KeySlot]) throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        try changeHeader { content throws(VaultError) in try change(&content.slots) }
    }

    /// Changes the header as it is now, under its lock, in one write that happens or does not; in none
    /// where that changes nothing.
    func changeHeader<Value>(
        waiting timeout: Duration = headerTimeout,
        _ change: (inout VaultHeader.Content) throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        let lock = try lockHeader(waiting: timeout)
        let header = try Self.header(layout)
        guard header.isAuthentic(keys) else {
            throw VaultHeader.inauthentic(layout.header)
        }
        var content = header.content
        let value = try change(&content)
        let changed = VaultHeader(content, keys)
        if changed.bytes != header.bytes { try write(changed) }
        _ = consume lock
        return value
    }

    /// Writes the header. Only under its lock.
    func write(_ header: VaultHeader) throws(VaultError) {
        for file in [layout.header, layout.headerCopy] {
            try VaultFiles.removeLeftovers(in: home, of: FileSystem.name(of: file))
        }
        var copies = true
        if case .foreign = Self.problem(ofCopyBeside: try Self.header(layout), layout) { copies = false }
        // Before the copy goes: a header that there is no room for is not to cost the old one its copy.
        let space = try VaultFiles.reserve(layout.header, size: header.bytes.count)
        if copies { try VaultFiles.remove(layout.headerCopy) }
        do { try space.commit(header.bytes) } catch { throw .io(error) }
        if copies { Self.copyHeader(header.bytes, layout) }
    }
}
