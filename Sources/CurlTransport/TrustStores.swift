internal import CCurl
internal import Platform
internal import Synchronization

/// The certification authorities that servers are judged by.
///
/// A system often has them twice: in one file, and in a directory where each is found by a hash of its name. The file
/// is read whole for every connection, which takes longer than the rest of a call. So the directory is asked first,
/// and both where it knows no better: somebody may have added to the file alone. Where a libcurl goes by its file even
/// when it is told of none, both are asked at once, and nothing is gained.
final class TrustStores: Sendable {
    /// What one transfer goes by.
    struct Store: Sendable, Hashable {
        /// PEM certificates; nil for none.
        let file: String?
        /// Certificates by the hashes of their names; nil for none.
        let directory: String?
    }

    /// All there is.
    let whole: Store
    /// nil until a connection needs to know.
    private let isDirectoryEnough: Mutex<Bool?>

    /// - Parameter isChosen: whether a person said what is trusted: then all of it is, from the beginning.
    init(_ whole: Store, isChosen: Bool) {
        self.whole = whole
        isDirectoryEnough = Mutex(isChosen ? false : nil)
    }

    /// What to go by first.
    var first: Store {
        let isEnough = isDirectoryEnough.withLock { known in
            let isEnough = known ?? whole.directory.map(Self.isHashed) ?? false
            known = isEnough
            return isEnough
        }
        return isEnough ? Store(file: nil, directory: whole.directory) : whole
    }

    /// What to go by where a server was refused by `store`; nil where that was all there is.
    func wider(than store: Store) -> Store? { store == whole ? nil : whole }

    /// Says that a store was enough. Where it took all there is, that is asked first from now on: a connection is used
    /// again by those alone that trust the same.
    func settle(on store: Store) {
        if store == whole { isDirectoryEnough.withLock { $0 = false } }
    }

    /// Whether OpenSSL finds anything in a directory: `openssl rehash` has been there.
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
    /// What libcurl was built to go by.
    static let system = unsafe TrustStores.Store(
        file: bskyauth_curl_system_file().map { unsafe String(cString: $0) },
        directory: bskyauth_curl_system_directory().map { unsafe String(cString: $0) })
}
