internal import ATPPlatform
public import FoundationEssentials

/// Folders and files that only this user may read. Everything that others may read or change is refused.
public enum PrivateFiles {
    /// Makes a folder with its missing parents, mode 0700, and checks it. A folder that is there is only checked.
    ///
    /// - Throws: ``PrivateFileError``, also for a link.
    public static func prepare(folder: String) throws(PrivateFileError) {
        do { try PrivateDirectory.create(folder) } catch { throw PrivateFileError(folder, error) }
    }

    /// Makes an empty file if it is missing, mode 0600, and checks it.
    ///
    /// - Throws: ``PrivateFileError``, also for a link.
    public static func prepare(file: String) throws(PrivateFileError) {
        guard try !isThere(file) else { return }
        do { try AtomicFile.create([], at: file, needsMode: false) } catch {
            guard error.isExisting else { throw PrivateFileError(file, .system(error)) }
        }
        _ = try isThere(file)
    }

    /// The bytes of a file that this program has written; nil if there is none.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - limit: the most bytes that such a file has.
    /// - Throws: ``PrivateFileError``, also for a link.
    public static func read(_ file: String, upTo limit: Int = 1 << 20) throws(PrivateFileError) -> [UInt8]? {
        do { return try PrivateFile.read(file, limit: limit) } catch {
            if case .missing = error { return nil }
            throw PrivateFileError(file, error)
        }
    }

    /// The bytes of a secret that somebody else has placed: a file of this user, or one that the system has mounted for this user, as
    /// Kubernetes, Docker and systemd do. Nil if there is none.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - limit: the most bytes that such a file has.
    public static func readSecret(_ file: String, upTo limit: Int) throws(PrivateFileError) -> [UInt8]? {
        do { return try SecretFile.read(file, limit: limit) } catch {
            switch error {
            case .access(.missing): return nil
            case .access(let problem): throw PrivateFileError(file, problem)
            case .descriptor: throw PrivateFileError(path: file, "is a descriptor: name a file")
            case .openWay(let place):
                throw PrivateFileError(
                    path: file, "is not taken: \(place), which leads to it, belongs to another user")
            case .openFolder(let place):
                throw PrivateFileError(
                    path: file, "is not taken: others can write in \(place), which leads to it")
            case .writableFile: throw PrivateFileError(path: file, "is not taken: others can write it")
            case .openFile:
                throw PrivateFileError(
                    path: file, "is not taken: others can read it, and it is not mounted as a secret")
            }
        }
    }

    /// Replaces a file, or makes it. After a crash there is the old file or the new one, and never a part of one.
    public static func write(_ bytes: [UInt8], to file: String) throws(PrivateFileError) {
        do { try AtomicFile.write(bytes, to: file) } catch { throw PrivateFileError(file, .system(error)) }
    }

    /// Adds a line to the end of a file, or makes the file. Lines that several processes add at the same time are not mixed.
    public static func append(line: String, to file: String) throws(PrivateFileError) {
        _ = try isThere(file)
        do { try PrivateLogFile(file).append(line: line) } catch {
            throw PrivateFileError(file, .system(error))
        }
    }

    /// Checks a file; false if there is none.
    private static func isThere(_ file: String) throws(PrivateFileError) -> Bool {
        do { try PrivateFile.verify(file) } catch {
            if case .missing = error { return false }
            throw PrivateFileError(file, error)
        }
        return true
    }
}

/// Why a private file can't be used, with the next step.
public struct PrivateFileError: Error, CustomStringConvertible {
    private let path: String
    private let problem: String

    init(path: String, _ problem: String) {
        self.path = path
        self.problem = problem
    }

    init(_ path: String, _ error: FileAccessError) {
        let problem =
            switch error {
            case .missing: "does not exist"
            case .symlink: "is a symbolic link"
            case .notRegular: "is no file"
            case .notDirectory: "is no folder"
            case .foreignOwner: "belongs to another user: run `ls -ld \(path)`"
            case .unsafeMode: "can be read or changed by others: run `chmod go= \(path)`"
            case .tooLarge: "is larger than such a file can be"
            case .system(let error): "can't be used: \(error.reason)"
            }
        self.init(path: path, problem)
    }

    /// The path and what is wrong.
    public var description: String { "\(path) \(problem)" }
}

extension PrivateFileError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
