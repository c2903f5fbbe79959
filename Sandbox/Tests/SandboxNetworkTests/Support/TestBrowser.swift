import Synchronization

@testable import SandboxNetwork

/// A browser without scripts. It keeps cookies and posts forms.
final class TestBrowser: Sendable {
    private let sandbox: RunningSandbox
    private let cookies = Mutex<[String: String]>([:])

    init(_ sandbox: RunningSandbox) {
        self.sandbox = sandbox
    }

    func open(_ path: String, headers: [(String, String)] = []) async throws -> WireAnswer {
        remember(try await sandbox.get(path, headers: headers + [cookieHeader]))
    }

    /// Posts the form of a page with its hidden fields and the given ones.
    func submit(_ page: WireAnswer, _ fields: [(String, String)], headers: [(String, String)] = [])
        async throws
        -> WireAnswer
    {
        let action = Self.attribute("action", of: "<form", in: page.text) ?? ""
        let hidden = page.text.split(separator: "<input").dropFirst().filter {
            $0.contains("type=\"hidden\"")
        }
        .compactMap { input -> (String, String)? in
            let tag = "<input" + input
            guard let name = Self.attribute("name", of: "<input", in: tag) else { return nil }
            return (name, Self.attribute("value", of: "<input", in: tag) ?? "")
        }
        return remember(
            try await WireClient.send(
                "POST",
                sandbox.origin + action,
                headers: headers + [("content-type", "application/x-www-form-urlencoded"), cookieHeader],
                body: Array(FormBody.encoded(hidden + fields).utf8)
            )
        )
    }

    func signIn(_ page: WireAnswer, username: String = "carol.pds.test", password: String = "hunter2")
        async throws
        -> WireAnswer
    {
        try await submit(page, [("username", username), ("password", password)])
    }

    private var cookieHeader: (String, String) {
        ("cookie", cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ") })
    }

    private func remember(_ answer: WireAnswer) -> WireAnswer {
        for line in answer.all("set-cookie") {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies.withLock { $0[String(pair[0])] = String(pair[1]) } }
        }
        return answer
    }

    private static func attribute(_ name: String, of tag: String, in text: String) -> String? {
        guard let start = text.range(of: tag), let end = text[start.upperBound...].firstIndex(of: ">") else {
            return nil
        }
        let inside = text[start.upperBound..<end]
        guard let value = inside.range(of: "\(name)=\"") else { return nil }
        return String(inside[value.upperBound...].prefix { $0 != "\"" })
    }
}
