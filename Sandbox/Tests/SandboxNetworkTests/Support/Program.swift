import Foundation
import Subprocess
import SystemPackage

/// The programs of other people that tests use. They share no code with the sandbox.
enum Program {
    static let openssl = "/usr/bin/openssl"
    static let curl = "/usr/bin/curl"
    static let nginx = "/usr/sbin/nginx"
    static var areThere: Bool {
        [openssl, curl, nginx].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The result of a program.
    struct Outcome {
        let status: Int32
        let output: [UInt8]
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    static func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), output: .bytes(limit: 1 << 24))
        return Outcome(status: result.terminationStatus.number, output: result.standardOutput)
    }
}

extension TerminationStatus {
    /// The exit status, or the negative number of the signal that ended the program.
    var number: Int32 {
        switch self {
        case .exited(let status): status
        case .signaled(let signal): -signal
        }
    }
}

/// A certificate of its own authority, with its key, in a folder.
struct Certificate {
    let file: String
    let key: String

    /// Makes one for a name, as `IP:127.0.0.1` or `DNS:app.localhost`.
    static func make(for name: String, in folder: URL) async throws -> Certificate {
        let made = Certificate(
            file: folder.appending(path: "c.pem").path(), key: folder.appending(path: "k.pem").path())
        let outcome = try await Program.run(
            Program.openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-keyout", made.key, "-out", made.file, "-subj", "/CN=sandbox",
                "-addext", "subjectAltName=" + name,
            ])
        guard outcome.status == 0 else { throw RunningSandbox.Unexpected(answer: "openssl failed") }
        return made
    }
}

/// A new folder that is removed after `body`.
func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sandbox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}
