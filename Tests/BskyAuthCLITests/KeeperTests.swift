import ATPJSON
import ATProtoSessions
import ATProtoVault
import ArgumentParser
import BskyAuthCore
import BskyAuthTestSupport
import Foundation
import Synchronization
import Testing

@testable import BskyAuthCLI

@Suite("A command and its keeper") struct KeeperTests {
    private let directory: TemporaryDirectory
    private let vault: CredentialVault
    private static let rotation = RotationRequest(
        account: UUID(), seen: "fingerprint", isForced: true, isRefused: false, awaitsRefresh: false,
        lockTimeout: .seconds(7))

    init() throws {
        directory = try TemporaryDirectory()
        vault = try CredentialVault.create(
            at: directory.url.path + "/vault", key: .keyFile(path: directory.url.path + "/key"))
    }

    /// Python takes its time to start on a busy machine.
    private static let startOfPython = Duration.seconds(120)

    private func file(_ name: String) -> String { directory.url.appending(path: name).path }

    /// What a program got that was started as the keeper: the number of bytes, or "nothing".
    private func received(byProgramSaying greeting: String) async throws -> String {
        let path = file("program")
        let text = """
            #!/usr/bin/env python3
            import socket
            def note(text):
                with open("\(file("received"))", "w") as file:
                    file.write(text)
            note("nothing")
            command = socket.socket(fileno=0)
            command.send(b"\(greeting)")
            note(str(len(command.recv(1 << 16))))
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        let context = CommandContext(keeper: try .parse([])) { _ in }
        // It returns when the program has ended.
        let keeper = KeeperConnection(vault, context, program: path, greetingTime: Self.startOfPython)
        #expect(try await keeper.rotate(Self.rotation) == nil)
        return try String(contentsOfFile: file("received"), encoding: .utf8)
    }

    @Test("another program, or another version of this one, never gets the vault key")
    func stranger() async throws {
        #expect(try await received(byProgramSaying: "bskyauth keeper 0.0.0") == "nothing")
    }

    @Test("the same version gets the vault key: 16 bytes of its id and 32 of the key")
    func sameVersion() async throws {
        let greeting = String(decoding: Keeper.greeting, as: UTF8.self)
        #expect(try await received(byProgramSaying: greeting) == "48")
    }

    @Test("a caller that is cancelled does not wait for the answer") func cancelled() async throws {
        let (path, greeting) = (file("silent"), String(decoding: Keeper.greeting, as: UTF8.self))
        let text = """
            #!/usr/bin/env python3
            import socket
            command = socket.socket(fileno=0)
            command.send(b"\(greeting)")
            while command.recv(1 << 16):
                pass
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        // No process waits for the end of this keeper, and an exit test would wait for ever beside a child that has ended.
        let key = file("key")
        await #expect(processExitsWith: .success) {
            [path = path as String, home = vault.home as String, key = key as String] in
            let vault = try CredentialVault.open(at: home, key: .keyFile(path: key))
            let keeper = KeeperConnection(
                vault, CommandContext(keeper: try .parse([])) { _ in }, program: path,
                greetingTime: Self.startOfPython
            )
            let waiting = Task { try await keeper.rotate(Self.rotation) }
            waiting.cancel()
            await #expect(throws: SessionFailure.self) { _ = try await waiting.value }
        }
    }

    @Test("a program that never greets is no keeper, and the wait for it is told") func mute() async throws {
        let path = file("mute")
        try "#!/bin/sh\nexec sleep 600\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        let said = Mutex<[String]>([])
        let context = CommandContext(keeper: try .parse([])) { line in said.withLock { $0.append(line) } }
        let keeper = KeeperConnection(vault, context, program: path, greetingTime: .seconds(4))
        #expect(try await keeper.rotate(Self.rotation) == nil)
        #expect(said.withLock { $0 } == ["waiting up to 1 s for the process that runs the refresh"])
    }

    @Test("a program that does not exist, or ends at once, is no keeper")
    func noProgram() async throws {
        for program in [file("nowhere"), "/bin/true"] {
            let context = CommandContext(keeper: try .parse([])) { _ in }
            #expect(try await KeeperConnection(vault, context, program: program).rotate(Self.rotation) == nil)
        }
    }

    @Test("the key opens its vault, and no other") func handedOverKey() throws {
        let key = vault.handedOverKey
        #expect(try CredentialVault.open(at: vault.home, handedOver: key).id == vault.id)
        let other = try CredentialVault.create(at: file("other"), key: .keyFile(path: file("key")))
        #expect(throws: VaultError.keyChanged) {
            try CredentialVault.open(at: other.home, handedOver: key)
        }
    }

    @Test("requests and settings arrive as they were sent") func requests() throws {
        let request = KeeperRequest(number: 3, rotation: Self.rotation)
        #expect(KeeperRequest(request.json) == request)
        let options = try GlobalOptions.parse([
            "-q", "-v", "--resolver", "slingshot", "--allow-private-network", "--http-timeout", "3m",
        ])
        let settings = KeeperSettings(home: "/v", options: options)
        #expect(KeeperSettings(settings.json) == settings)
        #expect(KeeperSettings(settings.json)?.options.httpTimeout == TimeLength(.seconds(180)))
        #expect(KeeperRequest([:]) == nil && KeeperSettings([:]) == nil && KeeperAnswer([:]) == nil)
    }

    @Test("failures keep their words, and what a caller does about them") func failures() throws {
        let time = Date(timeIntervalSince1970: 1_800_000_000.25)
        var failure = Failure(
            .rateLimited, "rate_limited", "m", hint: "h", account: "a", http: 429, serverError: "s",
            retryAt: "t")
        failure.cursor = "c"
        for retry in [nil, RetryTime.soon, .whenFree, .at(time)] {
            let sent = KeeperAnswer.failure(4, KeeperFailure(words: failure, isPassing: true, retry: retry))
            guard case .failure(4, let arrived) = try #require(KeeperAnswer(sent.json)) else {
                Issue.record("\(sent.json)")
                continue
            }
            #expect(ErrorPresenter.failure(for: arrived).json == failure.json)
            #expect(arrived.isPassing && arrived.retry == retry)
        }
        let busy = KeeperFailure(VaultError.busy(holder: nil))
        #expect(busy.isPassing && busy.retry == .whenFree)
        #expect(ErrorPresenter.failure(for: busy).status == .busy)
    }
}
