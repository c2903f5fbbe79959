/// Secret bytes: overwritten with zeros when the last reference goes, never printed, and compared in constant time.
@safe package final class SecretBytes: Sendable, CustomStringConvertible, CustomReflectable {
    // The storage is written in init, overwritten in deinit, and only read in between.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    package init(_ bytes: some Collection<UInt8>) {
        unsafe storage = Self.allocate(bytes.count)
        let isCopied: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(bytes))
        }
        if isCopied == nil { unsafe storage.copyBytes(from: bytes) }
    }

    /// Fresh random bytes.
    package convenience init(random count: Int) throws(CryptographyError) {
        self.init(clearing: try RandomBytes.generate(count))
    }

    /// Copies an array that nothing else references, and overwrites it.
    ///
    /// - Parameter count: the number of bytes to copy from the beginning; nil for all.
    package init(clearing bytes: consuming [UInt8], prefix count: Int? = nil) {
        let length = min(count ?? bytes.count, bytes.count)
        unsafe storage = Self.allocate(length)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(length)))
        }
        Self.clear(&bytes)
    }

    /// Allocates memory. A key is kept out of swap where the system allows that (RLIMIT_MEMLOCK). The page stays locked when
    /// the key is gone, because another key may be on it.
    private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        if count == keyLength { unsafe Memory.lock(storage.baseAddress, count) }
        return unsafe storage
    }

    /// The length of the vault key and of all keys that are derived from it.
    private static let keyLength = 32

    /// Overwrites an array with zeros. If the array's storage is shared, only a copy is overwritten.
    package static func clear(_ bytes: inout [UInt8]) {
        unsafe Memory.clear(&bytes, bytes.count)
    }

    deinit {
        unsafe Memory.clear(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    package var count: Int { unsafe storage.count }

    /// A copy of the bytes. The caller has to protect the copy.
    package var bytes: [UInt8] { unsafe Array(storage) }

    package var description: String { "<redacted>" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    func withUnsafeBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(storage))
    }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe Memory.equals(left.storage.baseAddress, right.storage.baseAddress, left.count)
    }
}
