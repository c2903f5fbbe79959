internal import ATPPlatform
internal import CATPCurl
internal import Synchronization

/// The certification authorities that are trusted.
///
/// A system often has them twice: in one file, and in a directory where each is found by a hash of its name. libcurl
/// reads the whole file for every connection, which takes longer than the rest of a call. So the first attempt trusts
/// the directory alone. If it does not know the server's authority, a second attempt trusts both, because an authority
/// may have been added to the file alone.
final class TrustStores: Sendable {
    /// What one attempt trusts.
    struct Store: Sendable, Hashable {
        /// A file of PEM certificates; nil for none.
        let file: String?
        /// A directory of certificates named by hashes; nil for none.
        let directory: String?
    }

    /// The file and the directory.
    let whole: Store
    /// nil until the first connection.
    private let isDirectoryEnough: Mutex<Bool?>

    /// - Parameter isFileChosen: whether the user chose the file. Then the first attempt trusts all of it.
    init(_ whole: Store, isFileChosen: Bool) {
        self.whole = whole
        isDirectoryEnough = Mutex(isFileChosen ? false : nil)
    }

    /// What the first attempt trusts.
    var first: Store {
        let isEnough = isDirectoryEnough.withLock { known in
            let isEnough = known ?? whole.directory.map(Self.isHashed) ?? false
            known = isEnough
            return isEnough
        }
        return isEnough ? Store(file: nil, directory: whole.directory) : whole
    }

    /// What the second attempt trusts after `store` refused a server; nil if `store` was everything.
    func wider(than store: Store) -> Store? { store == whole ? nil : whole }

    /// Notes that a store was enough. If it was everything, the first attempt trusts everything from now on, because
    /// libcurl uses a connection again only for the same store.
    func settle(on store: Store) {
        if store == whole { isDirectoryEnough.withLock { $0 = false } }
    }

    /// Whether a directory has certificates named by hashes, as `openssl rehash` makes them.
    private static func isHashed(_ directory: String) -> Bool {
        let names = (try? FileSystem.names(in: directory)) ?? []
        return names.contains { name in
            let name = Array(name.utf8)
            return name.count >= 10 && name[8] == UInt8(ascii: ".")
                && name[..<8].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
    }
}

extension TrustStores.Store {
    /// What libcurl trusts by default.
    static let system = unsafe TrustStores.Store(
        file: bskyauth_curl_system_file().map { unsafe String(cString: $0) },
        directory: bskyauth_curl_system_directory().map { unsafe String(cString: $0) })
}
