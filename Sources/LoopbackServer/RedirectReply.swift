/// The page a browser ends on. Its header fields are the server's business.
package struct RedirectReply: Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// The page in UTF-8. Nothing in it is loaded, and nothing obeyed but the two inline texts below.
    package let html: [UInt8]
    /// The SHA-256 of the text of the one inline style sheet (CSP Level 3 §2.3.1): the 32 bytes.
    package let styleSHA256: [UInt8]?
    /// The same of the one inline script.
    package let scriptSHA256: [UInt8]?

    /// A page, with at most one style sheet and one script.
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
