import ATProtoSessions
import OAuthDPoP

/// A security chip, or a process that has the key.
protocol Device: Sendable {
    /// Signs with ES256: the SHA-256 digest of the message, as r and s of 32 bytes each.
    func es256(_ message: [UInt8]) async throws -> [UInt8]
}

/// The key of a session that a device holds.
struct DeviceKey: ProofSigner {
    let publicKey: PublicJWK
    let device: any Device

    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        try await device.es256(message)
    }
}

/// A store that finds the keys of its sessions in a device.
func sessions(in storage: any SecretStorage, with keys: [DeviceKey]) -> StoredSessions {
    StoredSessions(storage) { thumbprint in
        keys.first { $0.publicKey.thumbprint == thumbprint }
    }
}

/// A login whose key stays in the device.
func logIn(
    _ identifier: String, at client: ATProtoClient, with key: DeviceKey, by userAgent: any UserAgent
) async throws -> Account {
    let pending = try await client.begin(identifier, signer: key)
    let redirect = try await userAgent.authorize(
        pending.url, redirectURI: "http://127.0.0.1/callback")
    return try await client.complete(pending, redirect: redirect)
}
