internal import Cryptography
package import FoundationEssentials
internal import Platform

extension CredentialVault {
    /// The accounts that were given a name, whatever its case. The name may have become another's since:
    /// their profiles tell.
    ///
    /// The work is the same for any number of accounts.
    ///
    /// - Returns: nil where the index can't tell: its list of the name is damaged, or it is gone as a whole. Then only
    ///   the profiles know.
    package func find(name: String) throws(VaultError) -> [UUID]? {
        var found: [UUID] = []
        for keys in [keys, retiring].compactMap({ $0 }) {
            guard let ids = try listed(list(name, under: keys)) else { return nil }
            for id in try present(ids) where !found.contains(id) { found.append(id) }
        }
        return found
    }

    private func listed(_ list: SealedItem) throws(VaultError) -> [UUID]? {
        do throws(VaultError) {
            if let found = try opened(list) { return ids(found) }
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
        return try VaultFiles.exists(layout.names) ? [] : nil
    }

    /// Changes the accounts of a name, and drops those that are gone. Only under the header's lock.
    ///
    /// A damaged list begins anew: whoever needs all that were in it builds the index again (``rebuildNames(_:)``).
    func update(_ name: String, _ change: ([UUID]) -> [UUID]) throws(VaultError) {
        let list = list(name, under: keys)
        let found = try open(list)
        let kept = try present(found?.ids ?? [])
        var changed: [UUID] = []
        for id in change(kept) where !changed.contains(id) { changed.append(id) }
        guard changed != found?.ids ?? [] else { return }
        if changed.isEmpty { return try VaultFiles.remove(list.file) }
        try VaultFiles.createDirectory(layout.names)
        let content = SecretBytes(changed.flatMap(\.bytes))
        let generation = (found?.generation ?? 0) &+ 1
        try VaultFiles.write(try list.seal(content, generation: generation, under: keys), to: list.file)
    }

    /// Makes an account found by these names, where it is not yet.
    func addNames(_ names: [String], of id: UUID) throws(VaultError) {
        let lock = try lockHeader()
        for name in names { try update(name) { $0 + [id] } }
        _ = consume lock
    }

    /// Builds the index again where it is damaged or gone: of the lists that can be read, and of the names of accounts.
    ///
    /// A list that was damaged is one that can't tell until it is whole, and so is an index that is gone: whenever this is
    /// interrupted, what there is of it is right.
    ///
    /// - Parameter accounts: all that are found by any name.
    /// - Returns: the lists that were damaged, and are gone.
    package func rebuildNames(_ accounts: [(id: UUID, names: [String])]) throws(VaultError) -> [Restoration] {
        let lock = try lockHeader()
        // Before anything in it is removed, which may be another directory's.
        try VaultFiles.verifyDirectory(layout.names)
        let isThere = try VaultFiles.exists(layout.names)
        if isThere { try VaultFiles.removeLeftovers(in: layout.names) }
        var readable: Set<String> = []
        var damaged: [String] = []
        for list in try nameLists() {
            do throws(VaultError) {
                if try opened(list) != nil { readable.insert(list.file) }
            } catch {
                guard case .damaged = error else { throw error }
                damaged.append(list.file)
            }
        }
        let changed = try add(accounts, to: readable)
        if isThere {
            for (file, bytes) in changed { try VaultFiles.write(bytes, to: file) }
            // What is left of them was of accounts that can't be read, or are gone.
            try VaultFiles.remove(damaged.filter { changed[$0] == nil }, in: layout.names)
        } else {
            try makeIndex(of: changed)
        }
        _ = consume lock
        return damaged.map { Restoration(account: nil, file: $0, outcome: .discarded) }
    }

    /// The lists that names have to be added to, each as it is with them.
    private func add(
        _ accounts: [(id: UUID, names: [String])], to readable: Set<String>
    ) throws(VaultError) -> [String: [UInt8]] {
        var wanted: [String: (list: SealedItem, ids: [UUID])] = [:]
        for (id, names) in accounts {
            for name in names {
                let list = list(name, under: keys)
                wanted[list.file, default: (list, [])].ids.append(id)
            }
        }
        var changed: [String: [UInt8]] = [:]
        for (file, (list, added)) in wanted {
            let found = readable.contains(file) ? try open(list) : nil
            var ids = try present(found?.ids ?? [])
            for id in try present(added) where !ids.contains(id) { ids.append(id) }
            guard ids != found?.ids ?? [] else { continue }
            changed[file] = try list.seal(
                SecretBytes(ids.flatMap(\.bytes)), generation: (found?.generation ?? 0) &+ 1, under: keys)
        }
        return changed
    }

    /// Puts an index in place where there is none, as a whole.
    private func makeIndex(of files: [String: [UInt8]]) throws(VaultError) {
        try VaultFiles.createDirectory(layout.workshop)
        try removeLeftovers()
        try VaultFiles.createDirectory(layout.unfinishedNames)
        for (file, bytes) in files {
            try VaultFiles.write(bytes, to: layout.unfinishedNames + "/" + FileSystem.name(of: file))
        }
        try VaultFiles.rename(layout.unfinishedNames, to: layout.names)
    }

    /// The lists of all names; what else is in their directory is not looked at.
    func nameLists() throws(VaultError) -> [SealedItem] {
        try VaultFiles.names(in: layout.names).sorted().compactMap { name in
            let digits = Array(name.utf8)
            let code = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<min($0 + 2, digits.count)], as: UTF8.self), radix: 16)
            }
            let list = list(code)
            return list.file == layout.names + "/" + name ? list : nil
        }
    }

    private func list(_ name: String, under keys: VaultKeys) -> SealedItem {
        list(keys.code(.nameLookup, id.bytes, message: Array(name.lowercased().utf8)))
    }

    /// The file of a name, by its code. Its own name says nothing without the key, and neither does it open as
    /// the list of another name.
    private func list(_ code: [UInt8]) -> SealedItem {
        let digits = Array("0123456789abcdef".utf8)
        let name = code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        let file = layout.names + "/" + String(decoding: name, as: UTF8.self)
        return SealedItem(kind: .nameList, owner: id, file: file, context: code)
    }

    private func open(_ list: SealedItem) throws(VaultError) -> (ids: [UUID], generation: UInt64)? {
        do throws(VaultError) {
            return try opened(list).map { (ids($0), $0.record.generation) }
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }

    private func ids(_ list: OpenedFile) -> [UUID] {
        let content = list.record.content.bytes
        return stride(from: 0, to: content.count, by: 16).compactMap {
            UUID(bytes: content[$0..<min($0 + 16, content.count)])
        }
    }

    private func present(_ ids: [UUID]) throws(VaultError) -> [UUID] {
        var present: [UUID] = []
        for id in ids where try VaultFiles.exists(layout.account(id)) { present.append(id) }
        return present
    }
}
