import NIOHTTP1
import Testing

@testable import BskyAuthLoopback

/// The decoder of the server refuses most of this before. Its next version may not.
@Suite("Framing of a request") struct RequestHeadTests {
    private func framing(
        _ fields: (String, String)..., version: HTTPVersion = .http1_1
    ) -> RequestHead.Framing? {
        let headers = HTTPHeaders([("Host", "127.0.0.1:1")] + fields)
        let head = HTTPRequestHead(version: version, method: .POST, uri: "/", headers: headers)
        return try? RequestHead(head, host: "127.0.0.1:1").framing
    }

    @Test("a body has one length, or is chunked, or is not there")
    func plain() {
        #expect(framing() == RequestHead.Framing.none)
        #expect(framing(("Content-Length", "0")) == RequestHead.Framing.none)
        #expect(framing(("content-length", "3")) == .length(3))
        #expect(framing(("Transfer-Encoding", "Chunked")) == .chunked)
        #expect(framing(("Content-Length", "3"), version: .http1_0) == .length(3))
    }

    @Test("a body whose end is not certain is refused")
    func ambiguous() {
        for length in ["+3", "-3", "", " 3", "3,3", "0x3", "\u{0663}", "99999999999999999999"] {
            #expect(framing(("Content-Length", length)) == nil, "\(length)")
        }
        for second in ["3", "4"] {
            #expect(framing(("Content-Length", "3"), ("Content-Length", second)) == nil)
        }
        #expect(framing(("Transfer-Encoding", "chunked"), ("Content-Length", "3")) == nil)
        #expect(framing(("Transfer-Encoding", "chunked"), version: .http1_0) == nil)
        for encoding in ["gzip", "gzip, chunked", "chunked, chunked", "identity", ""] {
            #expect(framing(("Transfer-Encoding", encoding)) == nil, "\(encoding)")
        }
    }
}
