import ATPCryptography
import ATPJSON
import ATPNetworking
import BskyAuthTestPrograms
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

/// A key in another process: the `openssl` program holds it and signs.
private struct ProgramSigner: ProofSigner {
    let publicKey: PublicJWK
    private let file: URL

    init(in folder: URL) async throws {
        file = folder.appending(path: "key.pem")
        try await Self.openSSL(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file.path])
        let der = try await Self.openSSL(["ec", "-in", file.path, "-pubout", "-outform", "DER"])
        let point = Array(der.suffix(64))
        publicKey = try #require(PublicJWK(x: Array(point[..<32]), y: Array(point[32...])))
    }

    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        let der = Array(
            try await Self.openSSL(["dgst", "-sha256", "-sign", file.path], input: Data(message)))
        // SEQUENCE { INTEGER r, INTEGER s }, each in at most 33 bytes.
        let r = der[4..<(4 + Int(der[3]))]
        let s = der[(r.endIndex + 2)...]
        return [r, s].flatMap { [UInt8](repeating: 0, count: max(0, 32 - $0.count)) + $0.suffix(32) }
    }

    @discardableResult
    private static func openSSL(_ words: [String], input: Data = Data()) async throws -> Data {
        let result = try await Program.run(
            "/usr/bin/openssl", words, environment: Program.inheritedEnvironment, input: input)
        try #require(result.status == 0)
        return result.output
    }
}

/// A key that can't sign, or signs in another form.
private struct BrokenSigner: ProofSigner {
    struct Unplugged: Error, CustomStringConvertible {
        let description = "the token was unplugged"
    }

    let publicKey: PublicJWK
    let signature: [UInt8]?

    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        guard let signature else { throw Unplugged() }
        return signature
    }
}

@Suite("ProofSigner") struct ProofSignerTests {
    @Test("may be a key in another process")
    func otherProcess() async throws {
        let folder = try TemporaryDirectory()
        let signer = try await ProgramSigner(in: URL(filePath: folder.path))
        for _ in 0..<5 {
            let proof = try await ReadProof(
                DPoPProof.make(
                    key: signer, method: .get, url: url("https://pds.example/"), issuedAt: DPoPSession.now))
            #expect(proof.header["jwk"]?["kty"] == "EC")
        }
    }

    @Test("that can't sign sends nothing", arguments: [nil, [UInt8](repeating: 1, count: 71)])
    func broken(signature: [UInt8]?) async throws {
        let session = try DPoPSession(.text("never"))
        let signer = BrokenSigner(publicKey: session.key.publicKey, signature: signature)
        let error = await #expect(throws: OAuthError.self) {
            try await session.client.sendToResourceServer(
                try resourceRequest(), key: signer, accessToken: AccessToken("at"))
        }
        let words =
            signature == nil
            ? "the proof signer: the token was unplugged"
            : "the proof signer: a signature of 71 bytes, not 64"
        #expect(error?.code == .cryptography(.operationFailed(words)))
        #expect(error?.refreshVerdict == .nothingSent)
        #expect(session.transport.requests.isEmpty)
    }

    @Test("refuses a point that is not on the curve")
    func point() {
        #expect(PublicJWK(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32)) == nil)
        #expect(PublicJWK(x: [1], y: [2]) == nil)
    }
}
