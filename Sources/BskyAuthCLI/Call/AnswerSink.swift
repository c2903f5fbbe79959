internal import Platform

/// Where the data of answers goes: standard output, or the file of `-o`.
enum AnswerSink {
    case console(Console)
    case file(OutputFile, path: String)

    /// Finds out before anything is sent whether the file of `-o` can be made: what a call did can't be undone
    /// when there is nowhere to put its answer.
    static func check(file path: String?) throws(Failure) {
        guard let path else { return }
        do throws(SystemError) { try OutputFile.check(path) } catch { throw .unwritable(path, error) }
    }

    /// Creates the file, where there is one to create, or empties it.
    init(_ console: Console, file path: String?) throws(Failure) {
        guard let path else {
            self = .console(console)
            return
        }
        do throws(SystemError) {
            self = .file(try OutputFile(path), path: path)
        } catch {
            throw .unwritable(path, error)
        }
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        switch self {
        case .console(let console): try console.write(bytes)
        case .file(let output, let path):
            do throws(SystemError) { try output.write(bytes) } catch { throw .unwritable(path, error) }
        }
    }
}
