import EndToEndSupport
import Foundation
import TestPrograms
import Testing

/// Hands sessions to commands that don't do as they should.
@Suite("Handing over, disturbed", .serialized)
struct HandoverTests {
    private let sandbox: Sandbox
    private let home: Home
    private let store: String
    private let key: String

    init() async throws {
        sandbox = try Sandbox(["--auto-approve"])
        home = try Home(sandbox)
        store = home.directory.appending(path: "store").path
        key = try home.recipientKey()
        try await home.logIn("alice.test", environment: ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
    }

    /// What a refresh is told so as to hand over to a script.
    private func handingOver(to script: String) -> [String] {
        ["--after-rotation", "sh -c '\(script)'", "--recipient-key", key]
    }

    @Test(
        "a command that hangs is ended after a minute, on a kernel without pidfd_open as well",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
    func hangs() async throws {
        // Longer than the minute, and not for ever where nothing ends it.
        let result = try await SystemCalls.run(
            ["refresh", "--force"] + handingOver(to: "sleep 90"), in: home,
            injecting: "pidfd_open:error=ENOSYS")
        #expect(result.status == 1 && result.errors.contains("did not end in time"), "\(result.errors)")
        #expect(try await sandbox.requests().allSatisfy { !$0.isRefresh })
    }
}
