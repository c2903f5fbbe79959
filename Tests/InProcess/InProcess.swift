internal import ATPCryptography
internal import ATPNetworking
internal import ATProtoVault
internal import FoundationEssentials
internal import Glibc
internal import HTTPTypes
internal import OAuthDPoP

/// Measures what can't be measured from outside a process: `bskyauth-in-process proofs SECONDS`, `bskyauth-in-process unlock HOME`.
@main struct InProcess {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.last) {
        case ("proofs", let text?):
            guard let seconds = Double(text), seconds > 0 else { throw Usage() }
            print(try await proofs(for: seconds))
        case ("unlock", let home?): print(try unlocking(home))
        default: throw Usage()
        }
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "bskyauth-in-process proofs SECONDS | bskyauth-in-process unlock HOME"
    }

    /// DPoP proofs in a second of CPU time. `openssl speed` counts CPU time too.
    private static func proofs(for seconds: Double) async throws -> Double {
        try OpenSSL.start()
        let key = try DPoPKey()
        let url = try HTTPURL(validating: "https://pds.example/xrpc/com.atproto.server.getSession")
        // As long as a token of the official server.
        let token = AccessToken(String(repeating: "a", count: 700))
        let nonce = String(repeating: "n", count: 43)
        let now = Date()

        let start = clock()
        var count = 0
        var spent = 0.0
        while spent < seconds {
            for _ in 0..<100 {
                _ = try await DPoPProof.make(
                    key: key, method: .get, url: url, issuedAt: now, nonce: nonce, accessToken: token)
            }
            count += 100
            spent = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        }
        return Double(count) / spent
    }

    /// Seconds to start OpenSSL and open a vault with the key in the kernel's keyring, for the first time in this process.
    private static func unlocking(_ home: String) throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try OpenSSL.start()
        guard try CredentialVault.openUnlocked(at: home) != nil else { throw Locked() }
        return (clock.now - start) / .seconds(1)
    }

    struct Locked: Error {}
}
