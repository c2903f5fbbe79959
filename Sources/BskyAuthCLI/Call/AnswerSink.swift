internal import ATPPlatform

/// The destination of response data: standard output, or the file of `-o`.
enum AnswerSink {
    case console(Console)
    case file(OutputFile, path: String)

    /// Checks before the request whether the file of `-o` can be created, because a call can't be undone if its
    /// response has no place to go.
    static func check(file path: String?) throws {
        guard let path else { return }
        do { try OutputFile.check(path) } catch let error { throw Failure.unwritable(path, error) }
    }

    /// Creates the file of `-o`, or empties it if it exists.
    init(_ console: Console, file path: String?) throws {
        guard let path else {
            self = .console(console)
            return
        }
        do {
            self = .file(try OutputFile(path), path: path)
        } catch let error {
            throw Failure.unwritable(path, error)
        }
    }

    func write(_ bytes: [UInt8]) throws {
        switch self {
        case .console(let console): try console.write(bytes)
        case .file(let output, let path):
            do { try output.write(bytes) } catch let error { throw Failure.unwritable(path, error) }
        }
    }
}
