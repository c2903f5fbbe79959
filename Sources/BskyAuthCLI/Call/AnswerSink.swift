internal import ATPPlatform

/// The destination of response data: standard output, or the file of `-o`.
enum AnswerSink {
    case console(Console)
    case file(OutputFile, path: String)

    /// Checks before the request whether the file of `-o` can be written, because a call can't be undone if its
    /// response has no place to go.
    static func check(file path: String?) throws {
        guard let path else { return }
        do { try OutputFile.check(path) } catch let error { throw Failure.unwritable(path, error) }
    }

    /// Prepares the file of `-o`, which keeps its content until ``finish()``.
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

    /// Whether what was written stays if the rest does not come.
    var keepsParts: Bool {
        switch self {
        case .console: true
        case .file(let output, _): output.isDirect
        }
    }

    func write(_ bytes: [UInt8]) throws {
        switch self {
        case .console(let console): try console.write(bytes)
        case .file(let output, let path):
            do { try output.write(bytes) } catch let error { throw Failure.unwritable(path, error) }
        }
    }

    /// Gives the file its new content, now that all of it has come.
    func finish() throws {
        guard case .file(let output, let path) = self else { return }
        do { try output.finish() } catch let error { throw Failure.unwritable(path, error) }
    }
}
