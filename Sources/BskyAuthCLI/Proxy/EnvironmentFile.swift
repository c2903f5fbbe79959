internal import ATPPlatform

/// A new file with the variables of a proxy, for `set -a; . FILE`. Only this user can read it.
struct EnvironmentFile {
    private let path: String
    private let file: MadeFile

    init(_ path: String, _ settings: [ChildSettings]) throws {
        self.path = path
        let text = Self.lines(settings).map { $0 + "\n" }.joined()
        do throws(SystemError) {
            try AtomicFile.create(Array(text.utf8), at: path)
            do throws(SystemError) { file = try MadeFile(path) } catch {
                // It has the secret of the proxy, and nothing else would remove it.
                do { _ = try FileSystem.remove(path) } catch {}
                throw error
            }
        } catch {
            throw Failure(
                .failure, "env_file", "\(path.escapedForTerminal) can't be written: \(error.reason)",
                hint: Failure.missingDirectory(of: path, error)
                    ?? "--env-file FILE   a file that does not exist yet")
        }
    }

    /// The variables, one on each line. The names of a second account end in _2, and so on.
    static func lines(_ settings: [ChildSettings]) -> [String] {
        settings.enumerated().flatMap { index, settings in
            let end = index == 0 ? "" : "_\(index + 1)"
            return settings.own.sorted { $0.key < $1.key }.map { "\($0.key)\(end)=\($0.value.shellQuoted)" }
        }
    }

    func remove(_ console: Console) {
        let name = path.escapedForTerminal
        do {
            guard try !file.remove() else { return }
            console.say("\(name) is another file now, so it stays")
        } catch {
            console.say("\(name) could not be removed: \(error.reason)")
        }
    }
}
