import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Hours pass for the program by `faketime`, and for the sandbox by its own clock.
@Suite(
    "Finds out what became of an answer that never arrived", .serialized, .fewAtOnce,
    .enabled(if: Later.isPossible))
struct LostAnswerTests {
    private static let call = ["call", "com.atproto.server.getSession"]

    private static let lost = Refusal(4, "lost_rotation", says: "the new tokens never arrived")

    @Test(
        "tells a lost rotation from an ended session, once", .covers("R66", "H3"), arguments: Reader.allCases)
    func lostRotation(reader: Reader) async throws {
        let (sandbox, home) = try await Self.unanswered(#"{"drop":"after"}"#)
        try await home.expect(
            Self.lost, of: ["refresh"], for: reader, givesResults: true, environment: Later.anHour,
            changesVault: true)
        #expect(try await Journal(sandbox).grants("refresh_token").count == 1)
        #expect(try await home.state() == "expired")
        try await sandbox.resetJournal()
        try await home.expect(Self.lost, of: Self.call, for: reader, environment: Later.anHour)
        #expect(try await Journal(sandbox).entries.isEmpty)
    }

    @Test("says until when the access token works, and exits with an error for timers")
    func unclear() async throws {
        let (sandbox, home) = try await Self.unanswered(#"{"drop":"after"}"#, later: "1s")
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(12, "refresh_unclear", says: "got no answer, so its session may have ended"),
                of: ["refresh", "--all"], for: reader, givesResults: true)
        }
        #expect(try await Journal(sandbox).grants("refresh_token").isEmpty)
    }

    @Test("believes a PDS that refuses the access token: the answer is lost", arguments: Reader.allCases)
    func refusedAccessToken(reader: Reader) async throws {
        let (sandbox, home) = try await Self.unanswered(#"{"drop":"after"}"#, later: "2m")
        try await home.expect(
            Self.lost, of: Self.call, for: reader, environment: Later.twoMinutes, changesVault: true)
        #expect(try await Journal(sandbox).grants("refresh_token").count == 1)
        #expect(try await home.state() == "expired")
    }

    @Test(
        "tells a rotation behind a failure of the server from an ended session", .covers("R65"),
        arguments: [500, 504])
    func lostBehindFailure(status: Int) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        try await sandbox.setFaults("[\(Fault.refresh(#"{"amend":{"status":\#(status)}}"#))]")
        try await home.expect(
            Refusal(11, "server_error", says: "the next refresh can be sent at"), of: ["refresh", "--force"],
            for: .script, givesResults: true, changesVault: true)
        try await sandbox.setFaults("[]")
        try await sandbox.advanceClock("61m")
        try await home.expect(
            Refusal(4, "lost_rotation", says: "it answered HTTP \(status)"), of: ["refresh"], for: .script,
            givesResults: true, environment: Later.anHour, changesVault: true)
        #expect(try await home.state() == "expired")
    }

    @Test("works again seconds after one failure of the server")
    func healthy() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        try await sandbox.setFaults("[\(Fault.refresh(Fault.page(502)))]")
        try await home.expect(
            Refusal(11, "server_error", says: "HTTP 502"), of: ["refresh", "--force"], for: .script,
            givesResults: true, changesVault: true)
        try await sandbox.setFaults("[]")
        let next = try await home.attempt(["refresh", "--force"])
        #expect(next.status == 0, "\(next.errors)")
        #expect(next.errors.contains("waiting"))
    }

    @Test("goes on where the server had not seen the question", .covers("R66"))
    func nothingLost() async throws {
        let (sandbox, home) = try await Self.unanswered(#"{"drop":"before"}"#)
        let call = try await home.attempt(Self.call, environment: Later.anHour)
        #expect(call.status == 0, "\(call.errors)")
        #expect(try await Journal(sandbox).grants("refresh_token").count == 1)
    }

    @Test("leaves a session uncertain that is refused without a reason, until it is forced")
    func uncertain() async throws {
        let (sandbox, home) = try await Self.unanswered(#"{"drop":"before"}"#)
        let refused = Fault.respond(400, #"{"error":"invalid_request"}"#)
        try await sandbox.setFaults("[\(Fault.refresh(refused))]")
        let uncertain = Refusal(4, "session_uncertain", says: "did not say that the session has ended")
        try await home.expect(
            uncertain, of: ["refresh"], for: .script, givesResults: true, environment: Later.anHour,
            changesVault: true)
        #expect(try await home.state() == "uncertain")
        try await sandbox.resetJournal()
        for reader in Reader.allCases {
            try await home.expect(uncertain, of: Self.call, for: reader, environment: Later.anHour)
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
        try await sandbox.setFaults("[]")
        let forced = try await home.attempt(["refresh", "--force"], environment: Later.anHour)
        #expect(forced.status == 0, "\(forced.errors)")
        #expect(try await home.state() == "ok")
    }

    /// A session whose refresh was not answered, an hour and a minute ago unless something else is said.
    private static func unanswered(_ action: String, later: String = "61m") async throws -> (Sandbox, Home) {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        try await sandbox.setFaults("[\(Fault.refresh(action))]")
        try await home.expect(
            Refusal(12, "refresh_unanswered", says: "is not known whether"), of: ["refresh", "--force"],
            for: .script, givesResults: true, changesVault: true)
        try await sandbox.setFaults("[]")
        try await sandbox.advanceClock(later)
        try await sandbox.resetJournal()
        return (sandbox, home)
    }
}
