internal import ATPNetworking
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// The URL and the name that a client is made with.
enum ClientURL {
    /// The URL of the directory, with `/` at its end.
    static func base(_ text: String) throws -> String {
        let suffix = "/" + HostedClient.documentName
        let directory = text.hasSuffix(suffix) ? String(text.dropLast(suffix.count)) : text
        let base = directory.hasSuffix("/") ? directory : directory + "/"
        _ = try ClientIDOption.validated(base + HostedClient.documentName)
        guard StaticSite(base: base) != nil else {
            throw Failure.usage(
                "\"\(text.escapedForTerminal)\" can't be the URL of a client: use letters, digits and - . _ ~ in its path"
            )
        }
        return base
    }

    /// A name for the client, which must not look like a URL.
    static func name(_ text: String) throws -> String { try word(text, "the name of a client") }

    /// A label for a key.
    static func keyLabel(_ text: String) throws -> String { try word(text, "the label of a key") }

    private static func word(_ text: String, _ what: String) throws -> String {
        let isAllowed = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        guard (1...64).contains(text.count), isAllowed, text.first != "-" else {
            throw Failure.usage(
                "\"\(text.escapedForTerminal)\" can't be \(what): "
                    + "use up to 64 letters, digits and . _ -, not beginning with -")
        }
        return text
    }

    /// What the consent page of the reference server shows: the host if the document is at its root, or the whole URL.
    static func consentName(of client: HostedClient) -> String {
        guard let url = try? HTTPURL(validating: client.base), url.path == "/" else {
            return client.clientID.description.escapedForTerminal
        }
        return url.origin.host.escapedForTerminal
    }

    /// Hosts that give every user a directory or a name of one origin or of one owner.
    private static let sharedHosts = [
        "github.io", "gitlab.io", "codeberg.page", "srht.site", "neocities.org",
    ]

    /// Whether the client is in a directory of a host where other sites have the same origin.
    static func isOnSharedHost(_ client: HostedClient) -> Bool {
        guard let url = try? HTTPURL(validating: client.base), url.path != "/" else { return false }
        return sharedHosts.contains { url.origin.host.hasSuffix("." + $0) }
    }
}
