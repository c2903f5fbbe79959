internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

/// The file that selects an account for a directory and all directories below it.
enum PinFile {
    static let name = ".bskyauth-account"

    /// The pin that applies here: the nearest one, up to the home directory.
    ///
    /// - Returns: nil without a pin. A pin that others may write, or that has no UUID, is an error.
    static func nearest(_ settings: Settings) throws -> AccountPin? {
        for directory in try directories(settings) {
            if let pin = try read(path(in: directory)) { return pin }
        }
        return nil
    }

    /// The path of the nearest pin. Its content is not checked.
    static func nearestPath(_ settings: Settings) throws -> String? {
        for directory in try directories(settings) {
            let path = path(in: directory)
            do {
                if try FileSystem.exists(path) { return path }
            } catch let error {
                throw ErrorPresenter.unusablePin(path, .system(error))
            }
        }
        return nil
    }

    /// Pins an account to the directory the command is run in.
    static func write(_ account: UUID) throws -> String {
        let path = try pathHere()
        do {
            try AtomicFile.write(Array("\(account.text)\n".utf8), to: path)
        } catch let error {
            throw ErrorPresenter.unusablePin(path, .system(error))
        }
        return path
    }

    /// Removes the pin of the directory the command is run in.
    ///
    /// - Returns: the path of the removed pin; nil if the directory had none.
    static func remove() throws -> String? {
        let path = try pathHere()
        do {
            return try FileSystem.remove(path) ? path : nil
        } catch let error {
            throw ErrorPresenter.unusablePin(path, .system(error))
        }
    }

    private static func read(_ path: String) throws -> AccountPin? {
        let bytes: [UInt8]
        do {
            bytes = try PrivateFile.read(path, limit: longest, openness: .readable)
        } catch let error {
            if error == .missing { return nil }
            throw ErrorPresenter.unusablePin(path, error)
        }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        guard let id = UUID(uuidString: text) else { throw ErrorPresenter.malformedPin(path) }
        return AccountPin(account: id, file: path)
    }

    private static func directories(_ settings: Settings) throws -> [String] {
        do {
            return try WorkingDirectory.ancestors(upTo: settings.environment["HOME"])
        } catch let error {
            // A removed directory has no pin and no parent directory with a pin.
            if error.isMissing { return [] }
            throw ErrorPresenter.unusablePin(name, .system(error))
        }
    }

    private static func pathHere() throws -> String {
        do {
            return path(in: try WorkingDirectory.path())
        } catch let error {
            throw ErrorPresenter.unusablePin(name, .system(error))
        }
    }

    private static func path(in directory: String) -> String {
        directory == "/" ? "/\(name)" : "\(directory)/\(name)"
    }

    /// The size limit in bytes: a UUID and one or two line ends.
    private static let longest = 64
}
