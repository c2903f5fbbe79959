import ATPNetworking
import HTTPTypes
import Hummingbird
import Testing

@testable import BskyAuthServer

@Suite struct HarmlessAnswerTests {
    private func fields(_ answer: HTTPFields, status: Int = 200) -> HTTPFields {
        Response(
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
    func others(_ type: String) {
        for status in [200, 206, 304, 400, 500] {
            let fields = fields([.contentType: type], status: status)
            #expect(fields[values: .contentType] == ["application/octet-stream"])
            #expect(fields[values: .contentDisposition] == ["attachment"])
        }
    }

    @Test("a type that is there twice, or not at all, is a download") func repeated() {
        var twice = HTTPFields()
        twice.append(HTTPField(name: .contentType, value: "application/json"))
        twice.append(HTTPField(name: .contentType, value: "text/html"))
        for answer in [twice, [:]] {
            #expect(fields(answer)[values: .contentType] == ["application/octet-stream"])
        }
    }

    @Test("a type that no browser runs stays, without parameters") func inert() {
        #expect(
            fields([.contentType: "Application/JSON ; charset=utf-7"])[.contentType] == "application/json")
        #expect(fields([.contentType: "image/png"])[.contentDisposition] == nil)
    }
}
