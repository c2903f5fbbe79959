internal import FoundationEssentials
internal import HTTPTypes
internal import Networking
internal import OAuth

/// Makes DPoP proofs as a call does and prints how many a second: `proof-bench SECONDS`.
@main struct ProofBench {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let seconds = Double(CommandLine.arguments[1]), seconds > 0
        else { throw Usage() }
        let key = try DPoPKey()
        let url = try HTTPURL(validating: "https://pds.example/xrpc/com.atproto.server.getSession")
        // As long as those of the official server.
        let token = AccessToken(String(repeating: "a", count: 700))
        let nonce = String(repeating: "n", count: 43)
        let now = Date()

        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        var time = Duration.zero
        while time < .seconds(seconds) {
            for _ in 0..<100 {
                _ = try DPoPProof.make(
                    key: key, method: .get, url: url, issuedAt: now, nonce: nonce, accessToken: token)
            }
            count += 100
            time = clock.now - start
        }
        print(Double(count) / (time / .seconds(1)))
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "proof-bench SECONDS"
    }
}
