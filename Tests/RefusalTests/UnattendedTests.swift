import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Ends by itself where nobody is there", .serialized, .fewAtOnce)
struct UnattendedTests {
    /// Every command, with its standard input closed and without a terminal.
    static let commands: [([String], Set<Int32>)] = [
        ([], [0, 64]), (["login"], [64]), (["login", "alice.test"], [5]), (["accounts"], [5]),
        (["accounts", "current"], [5]), (["accounts", "show", "alice.test"], [5]),
        (["accounts", "rename", "alice.test", "work"], [5]), (["switch"], [5]), (["switch", "-"], [5]),
        (["refresh"], [5]), (["refresh", "--all"], [5]), (["call", "com.atproto.server.getSession"], [5]),
        (["call", "com.atproto.repo.uploadBlob", "--input", "-"], [5]), (["logout"], [5]),
        (["logout", "--all"], [5]), (["help"], [0]), (["--version"], [0]), (["nonsense"], [64]),
        (["call"], [64]), (["accounts", "show"], [64]), (["login", "alice.test", "--timeout", "x"], [64]),
    ]

    @Test("every command says what is missing, locked vault", arguments: commands)
    func locked(arguments: [String], statuses: Set<Int32>) async throws {
        let home = try Home(
            try Sandbox(["--auto-approve"]), key: ["BSKYAUTH_PASSPHRASE": "correct horse"],
            ["BSKYAUTH_NO_INPUT": "0"])
        try await home.signIn()
        let before = try home.vaultContent()
        let result = try await home.attempt(
            arguments, inside: Self.nobody, environment: ["BSKYAUTH_PASSPHRASE": nil])
        #expect(statuses.contains(result.status), "\(result.status): \(result.errors)")
        #expect(!result.wasSignalled)
        if result.status != 0 {
            let line = result.errors.split(separator: "\n").first { $0.hasPrefix("bskyauth: ") }
            #expect(line != nil, "\(result.errors)")
            #expect(line?.dropFirst("bskyauth: ".count).first?.isUppercase == false, "\(result.errors)")
        }
        #expect(try home.vaultContent() == before)
    }

    @Test(
        "every command does its work or says no, open vault",
        arguments: [
            (["login"], 64), (["login", "alice.test", "--timeout", "1s", "--no-browser"], 75),
            (["accounts"], 0), (["accounts", "current"], 0), (["switch"], 64), (["refresh"], 0),
            (["call", "com.atproto.server.getSession"], 0), (["logout", "--all"], 64),
            (["call", "com.atproto.repo.createRecord", "--input", "-"], 1),
        ] as [([String], Int32)])
    func open(arguments: [String], status: Int32) async throws {
        let home = try Home(try Sandbox(["--auto-approve"]), ["BSKYAUTH_NO_INPUT": "0"])
        try await home.signIn()
        let result = try await home.attempt(arguments, inside: Self.nobody)
        if arguments.contains("--input") {
            // What a closed input is worth is the call's to say; that it ends is what counts here.
            #expect(result.status != 0 && result.status != 124, "\(result.status): \(result.errors)")
        } else {
            #expect(result.status == status, "\(result.status): \(result.errors)")
        }
        #expect(try await home.listing().count == 1)
    }

    /// No terminal, no standard input, and at most ten seconds.
    private static let nobody = [
        "timeout", "-k", "1", "10", "setsid", "--wait", "sh", "-c", #"exec "$@" <&-"#, "sh",
    ]
}
