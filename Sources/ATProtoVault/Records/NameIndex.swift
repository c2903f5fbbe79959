internal import ATPCryptography
internal import ATProtoSessions
internal import FoundationEssentials

/// The index of names. It finds the accounts of a handle, a DID or a label. The time does not depend on the number of
/// accounts.
///
/// Each name has a sealed file `names/CODE`. CODE is the HMAC-SHA-256 of the name in lower case, under a key
/// derived from the vault key, as 64 hexadecimal digits. Without the key, CODE reveals nothing. The content is the
/// UUIDs of the accounts that were given the name, 16 bytes each. The AES key depends on the code, so that the
/// file of one name does not open as another's.
struct NameIndex: Sendable {
    let files: SealedFileStore
    let accounts: AccountDirectories
    let workshop: Workshop

    private var layout: VaultLayout { accounts.layout }

    /// The accounts that were given a name. The name may be another account's by now: their profiles tell.
    ///
    /// - Returns: nil if the name's file is damaged or the whole index is missing. Then only the profiles tell.
    func find(_ name: String) throws(VaultError) -> [UUID]? {
        var found: [UUID] = []
        for keys in [files.header.keys, files.header.previousKeys].compactMap({ $0 }) {
            guard let ids = try listed(in: file(of: name, under: keys)) else { return nil }
            for id in try existing(ids) where !found.contains(id) { found.append(id) }
        }
        return found
    }

    private func listed(in file: SealedFile) throws(VaultError) -> [UUID]? {
        do {
            if let found = try files.read(file) { return Self.ids(in: found) }
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
        return try VaultFiles.exists(layout.names) ? [] : nil
    }

    /// Adds an account to the files of its names. The caller holds the header's lock.
    func add(_ id: UUID, to names: [String]) throws(VaultError) {
        for name in names { try update(name) { $0 + [id] } }
    }

    /// Removes an account from the files of names. The caller holds the header's lock.
    func remove(_ id: UUID, from names: [String]) throws(VaultError) {
        for name in names { try update(name) { $0.filter { $0 != id } } }
    }

    /// Changes the accounts of a name, and drops accounts that no longer exist.
    ///
    /// A damaged file starts empty. ``rebuild(with:)`` recovers the accounts that were in it.
    private func update(_ name: String, _ change: ([UUID]) -> [UUID]) throws(VaultError) {
        let file = file(of: name, under: files.header.keys)
        let found = try readIfUndamaged(file)
        var changed: [UUID] = []
        for id in change(try existing(found?.ids ?? [])) where !changed.contains(id) { changed.append(id) }
        guard changed != found?.ids ?? [] else { return }
        if changed.isEmpty { return try VaultFiles.remove(file.path) }
        try VaultFiles.createDirectory(layout.names)
        try files.write(Self.content(changed), generation: (found?.generation ?? 0) &+ 1, to: file)
    }

    /// All files of names. Other files in their directory are ignored.
    func allFiles() throws(VaultError) -> [SealedFile] {
        try VaultFiles.names(in: layout.names).sorted().compactMap { name in
            let digits = Array(name.utf8)
            let code = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<min($0 + 2, digits.count)], as: UTF8.self), radix: 16)
            }
            let file = file(of: code)
            return file.name == name ? file : nil
        }
    }

    private func file(of name: String, under keys: VaultKeys) -> SealedFile {
        let message = Array(name.lowercased().utf8)
        return file(of: keys.code(.nameLookup, files.header.id.bytes, message: message))
    }

    private func file(of code: [UInt8]) -> SealedFile {
        SealedFile(
            kind: .nameList, owner: files.header.id, path: layout.names + "/" + Hexadecimal.text(code),
            context: code)
    }

    /// The opened file; nil if it is missing or damaged.
    private func readIfUndamaged(
        _ file: SealedFile
    ) throws(VaultError) -> (ids: [UUID], generation: UInt64)? {
        do {
            return try files.read(file).map { (Self.ids(in: $0), $0.record.generation) }
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }

    private static func content(_ ids: [UUID]) -> SecretBytes { SecretBytes(ids.flatMap(\.bytes)) }

    private static func ids(in file: OpenedFile) -> [UUID] {
        let content = file.record.content.bytes
        return stride(from: 0, to: content.count, by: 16).compactMap {
            UUID(bytes: content[$0..<min($0 + 16, content.count)])
        }
    }

    private func existing(_ ids: [UUID]) throws(VaultError) -> [UUID] {
        var existing: [UUID] = []
        for id in ids where try accounts.exists(id) { existing.append(id) }
        return existing
    }
}

/// Repair.
extension NameIndex {
    /// Rebuilds a damaged or missing index from its readable files and the names of the accounts. The caller holds the
    /// header's lock.
    ///
    /// Until the end, a damaged file stays damaged and a missing index stays missing. So an interruption never leaves an
    /// index that looks good but is incomplete.
    ///
    /// - Parameter accounts: all accounts that have names.
    /// - Returns: the damaged files. They were removed.
    func rebuild(with accounts: [(id: UUID, names: [String])]) throws(VaultError) -> [Restoration] {
        // Verify before removing anything: a symbolic link could lead to another directory.
        try VaultFiles.verifyDirectory(layout.names)
        let isThere = try VaultFiles.exists(layout.names)
        if isThere { try VaultFiles.removeLeftovers(in: layout.names) }
        let (readable, damaged) = try sorted(allFiles())
        let changed = try adding(accounts, to: readable)
        if isThere {
            for (path, bytes) in changed { try VaultFiles.write(bytes, to: path) }
            // Accounts that only these files name are unreadable or no longer exist.
            try VaultFiles.remove(damaged.filter { changed[$0] == nil }, in: layout.names)
        } else {
            try create(changed)
        }
        return damaged.map { Restoration(account: nil, file: $0, outcome: .discarded) }
    }

    private func sorted(
        _ all: [SealedFile]
    ) throws(VaultError) -> (readable: Set<String>, damaged: [String]) {
        var readable: Set<String> = []
        var damaged: [String] = []
        for file in all {
            do {
                if try files.read(file) != nil { readable.insert(file.path) }
            } catch {
                guard case .damaged = error else { throw error }
                damaged.append(file.path)
            }
        }
        return (readable, damaged)
    }

    /// The bytes of the files that change when the accounts are added to their names.
    private func adding(
        _ accounts: [(id: UUID, names: [String])], to readable: Set<String>
    ) throws(VaultError) -> [String: [UInt8]] {
        var wanted: [String: (file: SealedFile, ids: [UUID])] = [:]
        for (id, names) in accounts {
            for name in names {
                let file = file(of: name, under: files.header.keys)
                wanted[file.path, default: (file, [])].ids.append(id)
            }
        }
        var changed: [String: [UInt8]] = [:]
        for (path, (file, added)) in wanted {
            let found = readable.contains(path) ? try readIfUndamaged(file) : nil
            var ids = try existing(found?.ids ?? [])
            for id in try existing(added) where !ids.contains(id) { ids.append(id) }
            guard ids != found?.ids ?? [] else { continue }
            changed[path] = try files.seal(
                Self.content(ids), generation: (found?.generation ?? 0) &+ 1, as: file)
        }
        return changed
    }

    /// Creates the missing index. One rename makes the complete index visible.
    private func create(_ bytesByPath: [String: [UInt8]]) throws(VaultError) {
        try workshop.prepare()
        try VaultFiles.createDirectory(layout.unfinishedNames)
        for (path, bytes) in bytesByPath {
            try VaultFiles.write(bytes, to: layout.unfinishedNames + "/" + VaultFiles.name(of: path))
        }
        try VaultFiles.rename(layout.unfinishedNames, to: layout.names)
    }
}
