@testable import SandboxNetwork

/// Discovery documents and identity (0xx).
enum DocumentWalks {
    static let all = [
        Walk(1, 2, 3, 4, 5, 6) { stage in
            let accounts = try await stage.sandbox.get("/_sandbox/accounts").json["accounts"]?.array
            let did = accounts?.first?["did"]?.string ?? ""
            return [
                1: try await stage.sandbox.get("/.well-known/oauth-protected-resource"),
                2: try await stage.sandbox.get("/.well-known/oauth-authorization-server"),
                3: try await stage.sandbox.get("/oauth/jwks"),
                4: try await stage.sandbox.get("/" + did.replacing(":", with: "%3A")),
                5: try await stage.sandbox.get("/did%3Aplc%3Aaaaaaaaaaaaaaaaaaaaaaaaa"),
                6: try await stage.sandbox.get(
                    "/.well-known/atproto-did", headers: [("host", "carol.pds.test")]),
            ]
        }
    ]
}
