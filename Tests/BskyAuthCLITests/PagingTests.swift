import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import ArgumentParser
import Testing

@testable import BskyAuthCLI

@Suite("Paging") struct PagingTests {
    private static let console = Console(isQuiet: true, isVerbose: false, usesJSON: false)

    private static var noPart: GetOption { get throws { try GetOption.parse([]) } }

    private func page(_ text: String) throws -> XRPCPage { try XRPCPage(Array(text.utf8)) }

    private func options(_ arguments: String...) throws -> PagingOptions {
        try #require(try BskyAuth.parseAsRoot(["call", "a.b.list"] + arguments) as? CallCommand).paging
    }

    @Test("a page is a line as it came, numbers and order kept")
    func pages() throws {
        var printer = PagePrinter(line: .page, console: Self.console, file: nil, part: try Self.noPart)
        let text = #"{"b":[1.50,12345678901234567890],"a":{"z":null,"y":"\u001b"},"cursor":"c"}"#
        #expect(try printer.lines(of: try page(text)).map(\.text) == [text])
    }

    @Test("items are those of the only list, which later pages may leave out or have beside another")
    func items() throws {
        var printer = PagePrinter(line: .item, console: Self.console, file: nil, part: try Self.noPart)
        #expect(try printer.lines(of: try page(#"{"n":1,"xs":[1,{"a":[2]}],"cursor":"c"}"#)).count == 2)
        for text in [#"{"cursor":"d"}"#, #"{"xs":null}"#, #"{"xs":[]}"#] {
            #expect(try printer.lines(of: try page(text)).isEmpty)
        }
        #expect(try printer.lines(of: try page(#"{"ys":[1],"xs":["a"]}"#)) == ["a"])
    }

    @Test(
        "where there is no list, or more than one, the candidates are named", arguments: [[], ["xs", "ys"]])
    func unclear(lists: [String]) throws {
        let members = lists.map { "\"\($0)\":[]" }.joined(separator: ",")
        var printer = PagePrinter(line: .item, console: Self.console, file: nil, part: try Self.noPart)
        let page = try page("{\(members)}")
        let failure = #expect(throws: Failure.self) { try printer.lines(of: page) }
        #expect(failure?.status == .usage && failure?.code == "items_unclear")
        #expect(
            failure?.message.hasSuffix(lists.isEmpty ? "no list of items" : "more than one list: xs, ys")
                == true)
    }

    @Test("--items reads on too, and a cursor may begin with a dash")
    func parsed() throws {
        #expect(try options().line == nil && options("--cursor", "c").line == nil)
        #expect(try options("--paginate").line == .page && options("--items").line == .item)
        #expect(try options("--items", "--paginate").line == .item)
        #expect(try options("--cursor", "-x").start == "-x" && options("--cursor", "").start == nil)
    }

    @Test("what has no pages is a usage error")
    func usage() throws {
        let query = XRPCRequest(.query, try NSID(validating: "a.b.list"))
        let procedure = XRPCRequest(.procedure, try NSID(validating: "a.b.put"))
        let placed = XRPCRequest(.query, query.nsid, parameters: ["cursor": "c"])
        try options("--items", "--limit-pages", "1", "--cursor", "c").check(query, includesHead: false)
        try options("--cursor", "c").check(query, includesHead: true)
        try options().check(placed, includesHead: true)
        for (options, request, includesHead) in [
            (try options("--limit-pages", "2"), query, false),
            (try options("--paginate", "--limit-pages", "0"), query, false),
            (try options("--paginate"), procedure, false), (try options("--items"), procedure, false),
            (try options("--cursor", "c"), procedure, false), (try options("--cursor", "c"), placed, false),
            (try options("--paginate"), placed, false), (try options("--paginate"), query, true),
        ] {
            let failure = #expect(throws: Failure.self) {
                try options.check(request, includesHead: includesHead)
            }
            #expect(failure?.status == .usage)
        }
    }

    @Test("a cursor to resume with is told where a terminal may be shown it")
    func resumption() throws {
        #expect(Failure.resumption("3l&z") == "resume with --cursor '3l&z'")
        #expect(Failure.resumption(nil) == nil && Failure.resumption("\u{1b}[2J") == nil)
        var failure = Failure(.network, "timed_out", "no answer")
        failure.cursor = "\u{1b}"
        #expect(failure.json["error"]?["cursor"] == "\u{1b}")
    }

    @Test("an answer that is no page, and a circle of pages, are told as that")
    func failures() throws {
        let nsid = try NSID(validating: "a.b.list")
        for text in ["<html>", "[]", #"{"cursor":1.5}"#] {
            let error = try #require(#expect(throws: InvalidXRPCPage.self) { try page(text) })
            let failure = ErrorPresenter.failure(error, method: nsid)
            #expect(failure.status == .network && failure.code == "malformed_page" && failure.hint != nil)
        }
        let circle = ErrorPresenter.repeatedCursor(nsid, keptPages: true)
        #expect(circle.status == .failure && !circle.status.isRetryable && circle.hint != nil)
        let foreign = ErrorPresenter.foreignHost(
            try Sample.account(), Origin(scheme: .https, host: "evil.example"))
        #expect(foreign.status == .usage && foreign.hint?.contains("--anonymous") == true)
    }
}
