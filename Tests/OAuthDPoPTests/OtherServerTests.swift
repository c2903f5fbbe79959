import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import OAuthDPoP
import Testing

/// How the client reads the responses of servers other than the official one (protocol:Differences-between-servers).
@Suite("Other servers", .needsVectors) struct OtherServerTests {
    @Test(
        "publish metadata that is enough", .covers("R21", "12.6", "C15"),
        arguments: ["cocoon", "millipds", "cirrus"])
    func metadata(name: String) throws {
        let response = try Transcript("002", of: name).json["response"]
        let document = try JSONParser.parse(try #require(response?["body"]?.string))
        let issuer = try Issuer(
            validating: try #require(document["issuer"]?.string), profile: .atproto, policy: NetworkPolicy())
        let metadata = try AuthorizationServerMetadata(
            json: document, issuer: issuer, profile: .atproto, policy: NetworkPolicy())
        #expect((metadata.revocationEndpoint == nil) == (name == "cirrus"))
    }

    @Test(
        "don't cost the session with what they say in place of invalid_grant", .covers("12.5", "13.11"),
        arguments: [
            ("cocoon", "505", OAuthError.RefreshVerdict.unknownToken), ("cocoon", "519", .unknownToken),
            ("cocoon", "512", .unexplained), ("cocoon", "161", .refused),
            ("cocoon", "160", .failed(OAuthError.InconclusiveAnswer(status: 502))),
            ("cirrus", "505", .invalidGrant),
        ]) func refusals(name: String, number: String, verdict: OAuthError.RefreshVerdict) async throws
    {
        let session = try ServerSession(Transcript(number, of: name).undatedAnswer())
        let error = await #expect(throws: OAuthError.self) { try await session.refresh() }
        #expect(error?.refreshVerdict == verdict)
        #expect(session.requests.count == 1)
    }

    @Test("may answer a revocation with an empty 200") func emptyRevocation() async throws {
        try await ServerSession(Transcript("600", of: "cocoon").undatedAnswer()).revoke()
    }

    @Test("may answer a pushed request with 200", .covers("12.6")) func pushedWith200() async throws {
        let pushed = try await ServerSession(Transcript("184", of: "millipds").undatedAnswer()).push()
        #expect(pushed.requestURI.hasPrefix("urn:ietf:params:oauth:request_uri:"))
    }

    @Test("challenge without a description", .covers("13.7")) func terseChallenge() async throws {
        let session = try ServerSession(
            Transcript("100", of: "cocoon").undatedAnswer(), Transcript("101", of: "cocoon").undatedAnswer())
        _ = try await session.push()
        #expect(session.requests.count == 2)
    }

    @Test(
        "hand out tokens that are good", .covers("R44", "R59", "S10", "12.6"),
        arguments: ["cocoon", "cirrus"])
    func tokens(name: String) async throws {
        let tokens = try await ServerSession(Transcript("301", of: name).undatedAnswer()).exchange()
        try tokens.validate(for: .atproto)
        #expect(tokens.refreshToken != nil)
    }
}
