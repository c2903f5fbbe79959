import Foundation
import Testing

@testable import ATPNetworking

@Suite("HTTPDate") struct HTTPDateTests {
    @Test(
        "counts seconds",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Fri, 20 Nov 2026 22:03:51 GMT", 1_795_212_231),
        ] as [(String, Int64)])
    func counts(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(in: text) == seconds)
    }

    @Test("agrees with Foundation on every day of four centuries")
    func everyDay() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for day in stride(from: Int64(0), to: 146_097, by: 13) {
            let seconds = day * 86_400 + day % 86_400
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            try #require(HTTPDate.seconds(in: text) == seconds, "\(text)")
        }
    }

    @Test(
        "refuses other formats",
        arguments: [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, ０6 Nov 1994 08:49:7 GMT",
        ])
    func refuses(text: String) {
        #expect(HTTPDate.seconds(in: text) == nil)
    }
}
