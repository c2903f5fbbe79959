internal import Synchronization

/// A place for secret texts that outlive the process: a folder that only the user may read, a keychain, a database.
///
/// The names have only small letters, digits, hyphens and dots, and at most 64 characters, so they can be names of files.
public protocol SecretStorage: Sendable {
    /// The text under a name; nil if there is none.
    func text(_ name: String) async throws -> String?

    /// Replaces the text under a name. Returns when the text survives a loss of power, or the storage does not claim to.
    /// A failure must leave the earlier text.
    func write(_ text: String, as name: String) async throws

    /// Removes the text under a name. Does nothing if there is none.
    func remove(_ name: String) async throws

    /// All names, in any order.
    func names() async throws -> [String]
}

/// Secret texts in the memory of this process. They are lost when it ends.
public final class MemoryStorage: SecretStorage {
    private let texts = Mutex<[String: String]>([:])

    /// An empty storage.
    public init() {}

    /// The text under a name; nil if there is none.
    public func text(_ name: String) -> String? { texts.withLock { $0[name] } }

    /// Replaces the text under a name.
    public func write(_ text: String, as name: String) { texts.withLock { $0[name] = text } }

    /// Removes the text under a name.
    public func remove(_ name: String) { texts.withLock { $0[name] = nil } }

    /// All names.
    public func names() -> [String] { texts.withLock { Array($0.keys) } }
}
