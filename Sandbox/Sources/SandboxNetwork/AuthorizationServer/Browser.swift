/// The browser behind a request, known by its cookies.
struct Browser: Sendable {
    let device: String
    let csrf: String
    /// Whether the cookies came with the request.
    let isKnown: Bool

    init(_ exchange: Exchange) {
        let cookies = exchange.cookies
        isKnown = cookies["dev-id"] != nil && cookies["csrf-token"] != nil
        device = cookies["dev-id"] ?? "dev-" + RandomText.hex(bytes: 16)
        csrf = cookies["csrf-token"] ?? RandomText.hex(bytes: 12)
    }

    func cookies(secure: Bool) -> [String] {
        let end = secure ? "; Secure; SameSite=Lax" : "; SameSite=Lax"
        return [
            "dev-id=\(device); Max-Age=315532800; Path=/; HttpOnly\(end)",
            "csrf-token=\(csrf); Path=/; HttpOnly\(end)",
        ]
    }
}
