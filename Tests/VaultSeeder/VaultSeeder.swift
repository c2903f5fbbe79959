internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials
internal import Logging
internal import OAuthDPoP

/// Adds made-up accounts to a vault: `bskyauth-vault-seeder HOME KEYFILE PDS COUNT`.
///
/// Their handles are `seed0.test`, `seed1.test`, …. Their sessions are valid in form, but no server knows them.
@main struct VaultSeeder {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let count = arguments.last.flatMap({ Int($0) }) else {
            throw Usage()
        }
        let words = Array(arguments)
        let store = VaultAccounts(
            try CredentialVault.open(at: words[0], key: .keyFile(path: words[1])),
            log: Logger(label: "seeder") { _ in SwiftLogNoOpLogHandler() })
        let pds = try HTTPURL(validating: words[2]).origin
        let issuer = try Issuer(
            validating: pds.description, profile: .atproto, policy: NetworkPolicy(devNetwork: pds))
        for number in 0..<count { try await add(number, to: store, pds, issuer) }
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "bskyauth-vault-seeder HOME KEYFILE PDS COUNT"
    }

    private static func add(
        _ number: Int, to store: VaultAccounts, _ pds: Origin, _ issuer: Issuer
    ) async throws {
        let now = Date()
        let account = Account(
            id: UUID(), did: try DID(validating: "did:plc:\(base32(number))"),
            handle: try Handle(validating: "seed\(number).test"), label: nil, pds: pds, devNetwork: pds,
            addedAt: now)
        let session = Session(
            credential: .oauth(
                OAuthCredential(
                    issuer: issuer, client: Client(ClientID("http://localhost?scope=atproto")),
                    key: try DPoPKey())),
            createdAt: now, accessToken: AccessToken(String(repeating: "a", count: 700)),
            refreshToken: RefreshToken(String(repeating: "r", count: 64)),
            accessExpiresAt: now.addingTimeInterval(3600), obtainedAt: now, scope: Scope("atproto"))
        _ = try await store.add(account, session)
    }

    /// 24 letters, different for each number.
    private static func base32(_ number: Int) -> String {
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
        var rest = number
        var text = ""
        for _ in 0..<24 {
            text.append(digits[rest & 31])
            rest >>= 5
        }
        return text
    }
}
