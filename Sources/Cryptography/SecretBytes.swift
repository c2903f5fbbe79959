internal import COpenSSL

/// Bytes that must not be seen: overwritten with zeros when the last owner lets go, never printed, never
/// compared in a time that depends on them.
@safe package final class SecretBytes: Sendable, CustomStringConvertible, CustomReflectable {
    // Written in init and overwritten in deinit; read-only between.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    package init(_ bytes: some Collection<UInt8>) {
        unsafe storage = .allocate(byteCount: bytes.count, alignment: 1)
        let isCopied: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(bytes))
        }
        if isCopied == nil { unsafe storage.copyBytes(from: bytes) }
    }

    /// Fresh random bytes.
    package convenience init(random count: Int) throws(CryptographyError) {
        self.init(clearing: try RandomBytes.generate(count))
    }

    /// Takes over an array that nothing else holds, and overwrites all of it.
    ///
    /// - Parameter count: how many of the bytes are taken; nil for all.
    package init(clearing bytes: consuming [UInt8], prefix count: Int? = nil) {
        let length = min(count ?? bytes.count, bytes.count)
        unsafe storage = .allocate(byteCount: length, alignment: 1)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(length)))
        }
        Self.clear(&bytes)
    }

    /// Overwrites an array with zeros. Of a shared one it would be a copy that is.
    package static func clear(_ bytes: inout [UInt8]) {
        unsafe OPENSSL_cleanse(&bytes, bytes.count)
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    package var count: Int { unsafe storage.count }

    /// A copy of the bytes, which the caller answers for.
    package var bytes: [UInt8] { unsafe Array(storage) }

    package var description: String { "<redacted>" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe body(UnsafeRawBufferPointer(storage))
    }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left.storage.baseAddress, right.storage.baseAddress, left.count) == 0
    }
}
