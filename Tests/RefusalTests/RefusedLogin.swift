import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// A login that has to be refused, tried by a script without an account and by a person who has one.
struct RefusedLogin: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let refusal: Refusal
    let faults: [String]
    /// How many requests may bring a code to the token endpoint, all told.
    let exchanges: Int
    /// Whether tokens were issued, and have to be ended at the server if it can be told.
    let isRevoked: Bool
    /// How many pushed requests there may be; nil where that is not the point.
    let pushes: Int?

    init(
        _ name: String, _ faults: String..., refusal: Refusal, exchanges: Int = 0, isRevoked: Bool = false,
        pushes: Int? = nil
    ) {
        testDescription = name
        self.faults = faults
        self.refusal = refusal
        self.exchanges = exchanges
        self.isRevoked = isRevoked
        self.pushes = pushes
    }

    func expectRefusal(
        identifier: String = "alice.test", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox, ["BSKYAUTH_BROWSER": Home.curl])
        for reader in Reader.allCases {
            if reader == .person {
                try await sandbox.setFaults("[]")
                try await home.signIn("alice.test", "--label", "kept")
                try home.forgetIdentities()
            }
            try await sandbox.setFaults("[\(faults.joined(separator: ","))]")
            try await sandbox.resetJournal()
            try await home.expect(
                refusal, of: ["login", identifier], for: reader, sourceLocation: sourceLocation)
            try await expectJournal(sandbox, sourceLocation)
        }
        try await sandbox.setFaults("[]")
        #expect(try await home.listing().count == 1, sourceLocation: sourceLocation)
        let call = try await home.attempt(["call", "com.atproto.server.getSession"])
        #expect(
            call.status == 0, "the account that was there: \(call.errors)", sourceLocation: sourceLocation)
    }

    private func expectJournal(_ sandbox: Sandbox, _ sourceLocation: SourceLocation) async throws {
        let journal = try await Journal(sandbox)
        let codes = journal.grants("authorization_code")
        #expect(codes.count == exchanges, sourceLocation: sourceLocation)
        if let pushes {
            #expect(journal.requests(to: Fault.push).count == pushes, sourceLocation: sourceLocation)
        }
        let revocations = journal.revocations(provenBy: codes.first?.key)
        let isEnded = isRevoked && ServerProfile.current.revokes
        #expect(revocations.count == (isEnded ? 1 : 0), sourceLocation: sourceLocation)
    }
}
