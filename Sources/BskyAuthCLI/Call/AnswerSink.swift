internal import Platform

/// Where the data of answers goes: standard output, or the file of `-o`.
enum AnswerSink {
    case console(Console)
    case file(OutputFile, path: String)

    /// Finds out before anything is sent whether the file of `-o` can be made: what a call did can't be undone
    /// when there is nowhere to put its answer.
    static func check(file path: String?) throws {
        guard let path else { return }
        do { try OutputFile.check(path) } catch let error { throw Failure.unwritable(path, error) }
    }

    /// Creates the file, where there is one to create, or empties it.
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
