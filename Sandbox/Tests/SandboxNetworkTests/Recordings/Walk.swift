import Testing

@testable import SandboxNetwork

/// Recorded cases that are performed together, against one sandbox.
struct Walk: Sendable, CustomTestStringConvertible {
    let cases: [Int]
    var testDescription: String { cases.map(String.init).joined(separator: " ") }
    /// Whether it performs two refreshes at once, as the official server's recordings number them.
    var isAtomicRace: Bool { cases.contains(530) && !cases.contains(533) }
    let perform: @Sendable (Stage) async throws -> [Int: WireAnswer]

    init(_ cases: Int..., perform: @escaping @Sendable (Stage) async throws -> [Int: WireAnswer]) {
        self.cases = cases
        self.perform = perform
    }
}

/// The sandbox and the client of a walk.
struct Stage: Sendable {
    let sandbox: RunningSandbox
    let client: ScriptedClient
    var profile = ServerProfile.official
}

/// Every walk, and every case that is not walked.
enum RecordedCases {
    private static let all =
        DocumentWalks.all + PushWalks.all + TokenWalks.all + ResourceWalks.all + RefreshWalks.all
        + RevocationWalks.all

    /// The walks that perform cases of a profile's recordings.
    static func walks(of profile: ServerProfile) -> [Walk] {
        let recorded = Set(Recording.all(of: profile).keys)
        let others = RefreshWalks.races + CallWalks.all + PasswordWalks.all
        let walks = profile.name == "official" ? all : all.filter { !$0.isAtomicRace } + others
        return walks.filter { !recorded.isDisjoint(with: $0.cases) }
    }

    /// Cases whose error text only begins like the recorded one, with the reason.
    static func sentences(_ profile: ServerProfile) -> [Int: (beginning: String, reason: String)] {
        guard profile.name == "cocoon" else { return [:] }
        let words = ("failed to get client: ", "cocoon fetches the client_id, the sandbox fetches nothing")
        return [141: words, 142: words]
    }

    /// Cases where the sandbox answers as the PDS does, and why the recording does not bind it.
    static let officialDifferences: [Int: (status: Int, error: String, reason: String)] = [
        400: (401, "AuthMissing", "the recording's wrapper is not the PDS; protocol 4c has the PDS's answer"),
        413: (
            400, "InvalidToken", "the recording's wrapper is not the PDS; protocol 4c has the PDS's answer"
        ),
    ]

    /// Cases that are walked by tests of their own, which compare redirects and pages instead of JSON.
    static let walkedByPages: Set = [200, 201, 202, 205, 206, 210, 220]
}
