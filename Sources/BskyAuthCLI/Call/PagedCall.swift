internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore

/// Reads a query page by page and prints each page when it arrives.
struct PagedCall {
    /// The content of an output line.
    enum Line: Hashable {
        case page
        case item
    }

    let call: ExplainedCall
    let printer: PagePrinter
    /// The number of pages to read; nil for all.
    let mostPages: Int?

    /// The size limit of a page in bytes.
    static let longestPage = 64 << 20

    func run(_ query: XRPCRequest, from cursor: String?) async throws {
        var pages = XRPCPages(of: query, from: cursor)
        var printer = printer
        var count = 0
        while let request = pages.next {
            if let mostPages, count == mostPages {
                if let hint = Failure.resumption(pages.cursor) {
                    printer.console.say("there is more; \(hint)")
                }
                break
            }
            do {
                let page = try await page(request)
                do { try printer.print(page) } catch let error as InvalidXRPCPage {
                    throw ErrorPresenter.failure(error, method: request.nsid)
                }
                let successor: XRPCPages.Successor
                do { successor = try pages.advance(past: page) } catch {
                    throw ErrorPresenter.repeatedCursor(request.nsid, keptPages: printer.keepsParts)
                }
                if successor == .noneButCursor {
                    // Some servers repeat the last cursor where a page without one would be the end.
                    let what =
                        page.hasNoItems ? "a cursor with an empty page" : "the cursor of its last page"
                    printer.console.say(
                        "the server repeated \(what); that is taken as the end of the list")
                    break
                }
            } catch let error as any KnownError {
                var failure = ErrorPresenter.failure(for: error)
                // A file keeps its earlier content, so the pages before this one are needed again.
                failure.cursor = printer.keepsParts ? pages.cursor : nil
                throw failure
            }
            count += 1
        }
        try printer.finish()
    }

    private func page(_ request: XRPCRequest) async throws -> XRPCPage {
        let response = try await call.send(request)
        let body: [UInt8]
        body = try await response.body.collect(upTo: Self.longestPage)
        do {
            return try XRPCPage(body, leniency: AnswerWriter.leniency)
        } catch let error {
            throw ErrorPresenter.failure(error, method: request.nsid)
        }
    }
}
