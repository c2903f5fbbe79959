internal import ATPCryptography
internal import FoundationEssentials

/// The bytes of a sealed file and their decrypted content.
struct OpenedFile: Sendable {
    let bytes: [UInt8]
    let record: StoredRecord
}

/// Reads and writes the sealed files of an open vault, under the keys of its header.
struct SealedFileStore: Sendable {
    let header: UnlockedHeader

    /// Reads and opens a file; nil if it does not exist.
    func read(_ file: SealedFile) throws(VaultError) -> OpenedFile? {
        guard let bytes = try VaultFiles.read(file.path) else { return nil }
        return try open(file, bytes)
    }

    /// Reads a file that has to exist.
    func require(_ file: SealedFile) throws(VaultError) -> OpenedFile {
        guard let opened = try read(file) else { throw file.damaged("is missing") }
        return opened
    }

    /// Opens the bytes of a file under the current or the previous vault key. The bytes name their key.
    func open(_ file: SealedFile, _ bytes: [UInt8]) throws(VaultError) -> OpenedFile {
        let named = SealedFile.keyID(of: bytes)
        if let previous = header.previousKeys, named == previous.id {
            return OpenedFile(bytes: bytes, record: try file.open(bytes, under: previous))
        }
        if let named, named != header.keys.id { try header.requireCurrentKey() }
        return OpenedFile(bytes: bytes, record: try file.open(bytes, under: header.keys))
    }

    func seal(
        _ content: SecretBytes, generation: UInt64, as file: SealedFile
    ) throws(VaultError) -> [UInt8] {
        try file.seal(content, generation: generation, under: header.keys)
    }

    /// Replaces a file durably.
    func write(_ content: SecretBytes, generation: UInt64, to file: SealedFile) throws(VaultError) {
        try VaultFiles.write(try seal(content, generation: generation, as: file), to: file.path)
    }

    /// Whether a file is still sealed under the previous vault key.
    func isUnderPreviousKey(_ file: SealedFile) throws(VaultError) -> Bool {
        guard let previous = header.previousKeys, let bytes = try VaultFiles.read(file.path) else {
            return false
        }
        return SealedFile.keyID(of: bytes) == previous.id
    }

    /// Seals a file under the current vault key if it is sealed under the previous one. The generation stays.
    func reseal(_ file: SealedFile) throws(VaultError) {
        guard try isUnderPreviousKey(file), let old = try read(file) else { return }
        try write(old.record.content, generation: old.record.generation, to: file)
    }
}
