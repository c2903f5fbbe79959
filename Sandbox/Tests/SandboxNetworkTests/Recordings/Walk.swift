import Testing

/// Some recorded cases that are performed in one go, against one sandbox.
struct Walk: Sendable, CustomTestStringConvertible {
    let cases: [Int]
    var testDescription: String { cases.map(String.init).joined(separator: " ") }
    let perform: @Sendable (Stage) async throws -> [Int: WireAnswer]

    init(_ cases: Int..., perform: @escaping @Sendable (Stage) async throws -> [Int: WireAnswer]) {
        self.cases = cases
        self.perform = perform
    }
}

/// What a walk performs on.
struct Stage: Sendable {
    let sandbox: RunningSandbox
    let client: ScriptedClient
}

/// Every walk, and every case that is not walked.
enum OfficialCases {
    static let walks =
        DocumentWalks.all + PushWalks.all + TokenWalks.all + ResourceWalks.all + RefreshWalks.all
        + RevocationWalks.all

    /// Cases where the sandbox answers as the PDS does, and why the recording does not bind it.
    static let differences: [Int: (status: Int, error: String, reason: String)] = [
        400: (401, "AuthMissing", "the recording's wrapper is not the PDS; protocol 4c has the PDS's answer"),
        413: (
            400, "InvalidToken", "the recording's wrapper is not the PDS; protocol 4c has the PDS's answer"
        ),
    ]

    /// Cases that are walked by tests of their own, which compare redirects and pages instead of JSON.
    static let walkedByPages: Set = [200, 201, 202, 205, 206, 210, 220]

    /// Cases a server can't be asked, with the reason. None at present.
    static let listed: [Int: String] = [:]
}
