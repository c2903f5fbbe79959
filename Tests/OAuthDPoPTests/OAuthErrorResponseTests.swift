import ATPJSON
import BskyAuthCovers
import HTTPTypes
import OAuthDPoP
import Testing

@Suite("OAuthErrorResponse") struct OAuthErrorResponseTests {
    private func read(_ body: String, type: String? = "application/json") -> OAuthErrorResponse {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        return OAuthErrorResponse(status: 400, headerFields: fields, body: Array(body.utf8))
    }

    @Test("reads the code and what is said about it")
    func standard() {
        let error = read(#"{"error":"invalid_grant","error_description":"Refresh token replayed"}"#)
        #expect(error.error == "invalid_grant")
        #expect(error.description == "Refresh token replayed")
        #expect(error.status == 400)
        #expect(read(#"{"error":"InvalidToken","message":"m"}"#).description == "m")
    }

    @Test("takes a sentence in place of a code for what it is", .covers("12.5"))
    func sentence() {
        let error = read(#"{"error":"\"client_id\" mismatch"}"#)
        #expect(error.error == nil)
        #expect(error.description == "\"client_id\" mismatch")
    }

    @Test("reads plain text, and no page", .covers("12.5"))
    func otherBodies() {
        #expect(read("\nno such thing\nmore", type: "text/plain").description == "no such thing")
        #expect(read("<html>invalid_grant</html>", type: "text/html").description == nil)
        #expect(read(" <html>", type: nil).description == nil)
        #expect(read("").description == nil)
        #expect(read("[1]").error == nil)
        #expect(read(#"{"error":{"code":1}}"#).error == nil)
    }

    @Test("takes nothing from a body that says two things")
    func repeatedName() {
        #expect(read(#"{"error":"invalid_grant","error":"use_dpop_nonce"}"#).error == nil)
    }

    @Test("makes what it shows harmless and short")
    func harmless() {
        let esc = read(#"{"error":"x","error_description":"a\u001b[31mb\nc"}"#)
        #expect(esc.description?.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
        let long = JSONValue.object([
            "error": "x", "error_description": .string(String(repeating: "a", count: 9000)),
        ])
        #expect((read(long.text).description?.count ?? 0) <= 501)
        #expect(read(String(repeating: " ", count: 70_000) + #"{"error":"x"}"#).error == nil)
        #expect(read(#"{"error":"\#(String(repeating: "e", count: 129))"}"#).error == nil)
    }
}
