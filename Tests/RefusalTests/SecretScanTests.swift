import BskyAuthEndToEnd
import Foundation
import Testing

@Suite("The scan for secrets")
struct SecretScanTests {
    @Test(
        "finds a planted secret by its shape",
        arguments: [
            "ref-" + String(repeating: "0a", count: 32),
            "cod-" + String(repeating: "b1", count: 32),
            "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9",
            "K9aLE8im088ZDcE-YBA_ixiF5I5IGAsil6dfBOI985s",
            String(repeating: "9f", count: 32),
        ])
    func shapes(secret: String) {
        #expect(!SecretScan().findings(in: "POST /oauth/token: \(secret) (HTTP 400)").isEmpty)
    }

    @Test("finds a known secret in every dress", arguments: SecretScan.dresses("correct horse, battery"))
    func dresses(text: String) {
        let scan = SecretScan(known: ["correct horse, battery"])
        #expect(!scan.findings(in: "tried <\(text)>").isEmpty)
    }

    @Test("finds a known secret wherever in something encoded it is", arguments: ["", "a", "ab"])
    func insideOfBase64(before: String) {
        let (secret, key) = ("correct horse, battery", Data((0..<32).map { UInt8($0) &* 201 }))
        let scan = SecretScan(known: [secret], keys: [key])
        for secret in [Data(secret.utf8), key] {
            let text = (Data(before.utf8) + secret + Data("and more".utf8)).base64EncodedString()
            #expect(!scan.findings(inBytes: Data(text.utf8)).isEmpty, "\(text)")
            let other = text.replacing("+", with: "-").replacing("/", with: "_")
            #expect(!scan.findings(inBytes: Data(other.utf8)).isEmpty, "\(other)")
        }
        #expect(!scan.findings(inBytes: Data(before.utf8) + key + Data([0])).isEmpty)
        #expect(scan.findings(inBytes: Data(before.utf8) + key.dropLast() + Data([0])).isEmpty)
    }

    @Test("passes what the program says of itself")
    func harmless() {
        let text = """
            sign in at http://127.0.0.1:33731:
            http://127.0.0.1:33731/oauth/authorize?client_id=http%3A%2F%2Flocalhost%3Fredirect_uri%3Dhttp\
            %253A%252F%252F127.0.0.1%252Fcallback&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A\
            req-9aed3e004b0dff0c1185925525e7aad5
            urn:ietf:params:oauth:request_uri:MZxTFcmjZ2Gttx0tXc7b0PwxeoLFCDe753gn0GCNF7A
            bskyauth: the server lacks token_endpoint_auth_signing_alg_values_supported
            account 3d2dba8e-0318-4216-be29-c30a028bb1ef of did:plc:qerzt44y65a3ev3ptbsiyw4u
            """
        #expect(SecretScan().findings(in: text).isEmpty)
    }
}
