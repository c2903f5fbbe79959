internal import BskyAuthCore
internal import FoundationEssentials
internal import Platform

/// The file that chooses an account for a directory and all in it.
enum PinFile {
    static let name = ".bskyauth-account"

    /// The pin that counts here: the nearest one up to the home.
    ///
    /// - Returns: nil where there is none. One that others may write, or that has no UUID, is an error.
    static func nearest(_ settings: Settings) throws -> AccountPin? {
        for directory in try directories(settings) {
            if let pin = try read(path(in: directory)) { return pin }
        }
        return nil
    }

    /// Where the nearest pin is, whatever is in it.
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
            try AtomicFile.write(Array("\(account.shown)\n".utf8), to: path)
        } catch let error {
            throw ErrorPresenter.unusablePin(path, .system(error))
        }
        return path
    }

    /// Removes the pin of the directory the command is run in.
    ///
    /// - Returns: where it was; nil where there was none.
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
            // A directory that was removed has no pin, and is in none that could have one.
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

    /// In bytes: a UUID and a line end or two.
    private static let longest = 64
}
