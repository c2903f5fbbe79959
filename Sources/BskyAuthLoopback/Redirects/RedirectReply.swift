internal import FoundationEssentials
internal import NIOHTTP1

/// The page at the end of an authorization. The server adds the header fields.
package struct RedirectReply: Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// The page in UTF-8. The browser loads nothing for it, and uses only the inline style sheet and script below.
    package let html: [UInt8]
    /// The SHA-256 hash, 32 bytes, of the text of the inline style sheet (CSP Level 3 §2.3.1).
    package let styleSHA256: [UInt8]?
    /// The SHA-256 hash of the text of the inline script.
    package let scriptSHA256: [UInt8]?

    package init(status: Int, html: [UInt8], styleSHA256: [UInt8]? = nil, scriptSHA256: [UInt8]? = nil) {
        self.status = status
        self.html = html
        self.styleSHA256 = styleSHA256
        self.scriptSHA256 = scriptSHA256
    }

    /// An answer without a page.
    static func refusal(_ status: Int) -> RedirectReply {
        RedirectReply(status: status, html: [])
    }
}

extension RedirectReply {
    /// The response head. The page may show text of a server or of the address bar. So the browser must not cache or
    /// frame it, guess its type, load anything for it, or tell the next site about it, and the page that opened it keeps
    /// no reference to it.
    var responseHead: HTTPResponseHead {
        var fields: HTTPHeaders = [
            "Content-Length": "\(html.count)",
            "Connection": "close",
            "Cache-Control": "no-store",
            "Content-Security-Policy": contentSecurityPolicy,
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        ]
        if !html.isEmpty { fields.add(name: "Content-Type", value: "text/html; charset=utf-8") }
        if status == 405 { fields.add(name: "Allow", value: "GET") }
        return HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: fields)
    }

    private var contentSecurityPolicy: String {
        var directives = ["default-src 'none'"]
        if let styleSHA256 {
            directives.append("style-src 'sha256-\(Data(styleSHA256).base64EncodedString())'")
        }
        if let scriptSHA256 {
            directives.append("script-src 'sha256-\(Data(scriptSHA256).base64EncodedString())'")
        }
        directives += ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
        return directives.joined(separator: "; ")
    }
}
