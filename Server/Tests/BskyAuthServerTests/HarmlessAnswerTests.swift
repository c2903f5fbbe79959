import ATPNetworking
import HTTPTypes
import Hummingbird
import Testing

@testable import BskyAuthServer

@Suite struct HarmlessAnswerTests {
    private func fields(_ answer: HTTPFields, status: Int = 200) async throws -> HTTPFields {
        try await Response(
            harmless: TransportResponse(
                status: status, headerFields: answer, body: ATPNetworking.ResponseBody([]))
        ).headers
    }

    @Test(
        "a type that is not one of a few is a download",
        arguments: [
            "text/html", "application/json, text/html", "application/json ,text/html", "image/svg+xml",
            "application/jsonp", "xapplication/json", "", ";application/json",
        ])
    func others(_ type: String) async throws {
        for status in [200, 206, 304, 400, 500] {
            let fields = try await fields([.contentType: type], status: status)
            #expect(fields[values: .contentType] == ["application/octet-stream"])
            #expect(fields[values: .contentDisposition] == ["attachment"])
        }
    }

    @Test("a type that is there twice, or not at all, is a download") func repeated() async throws {
        var twice = HTTPFields()
        twice.append(HTTPField(name: .contentType, value: "application/json"))
        twice.append(HTTPField(name: .contentType, value: "text/html"))
        for answer in [twice, [:]] {
            #expect(try await fields(answer)[values: .contentType] == ["application/octet-stream"])
        }
    }

    @Test("a redirect, a cookie and a permission for caches are not passed on, however they are written")
    func ownOrigin() async throws {
        for names in [
            ["location", "set-cookie", "cache-control"], ["Location", "Set-Cookie", "Cache-Control"],
            ["LOCATION", "SET-COOKIE", "CACHE-CONTROL"],
        ] {
            var answer: HTTPFields = [.contentType: "application/json", .eTag: "a"]
            for name in names {
                answer.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "https://a.example"))
            }
            for status in [200, 201, 302, 400] {
                let passed = try await fields(answer, status: status)
                #expect(Set(passed.map(\.name)) == [.contentType, .eTag])
            }
        }
    }

    @Test("a type that no browser runs stays, without parameters") func inert() async throws {
        #expect(
            try await fields([.contentType: "Application/JSON ; charset=utf-7"])[.contentType]
                == "application/json")
        #expect(try await fields([.contentType: "image/png"])[.contentDisposition] == nil)
    }
}
