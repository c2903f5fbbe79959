internal import ATPNetworking
internal import BskyAuthCore
internal import HTTPTypes

/// What is published beside a client's metadata document: the relay page, and files for the host of the site.
struct StaticSite {
    /// The host of the site, with its port where it has one.
    private let host: String
    /// The path of the base URL. It begins and ends with a slash.
    private let path: String

    /// Takes the base URL, such as `https://me.github.io/at/`.
    ///
    /// Nil for anything but https, for a query, for a path that does not end in a slash, and for a path that has to be
    /// escaped in a file of header lines: only letters, digits and `-._~` are taken.
    init?(base: String) {
        guard let url = try? HTTPURL(validating: base), url.origin.scheme == .https, url.query == nil,
            Self.isPlain(url.path)
        else { return nil }
        host = String(url.origin.description.dropFirst("https://".count))
        path = url.path
    }

    /// The files below the base URL, each path with its content. `_headers` and the folder `headers` are for the host,
    /// and it does not matter if they are published.
    var files: [String: String] {
        [
            HostedClient.pageName: RelayPage.html,
            "index.html": IndexPage.html,
            // Without this file, GitHub Pages leaves out files that begin with an underscore.
            ".nojekyll": "",
            "_headers": headersFile,
            "headers/nginx.conf": nginxSnippet,
            "headers/Caddyfile": caddySnippet,
        ]
    }

    /// What a page can't forbid itself: a host that sets headers sends these with the relay page.
    static let headers: [(name: String, value: String)] = [
        ("Content-Security-Policy", "frame-ancestors 'none'"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        cacheControl,
    ]

    private static func isPlain(_ path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return path.hasSuffix("/")
            && segments.dropFirst().dropLast().allSatisfy { segment in
                !["", ".", ".."].contains(segment) && segment.utf8.allSatisfy(isPlain)
            }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// The names of ``headers`` that a response does not have with this value, alone or beside others.
    static func missingHeaders(in fields: HTTPFields) -> [String] {
        headers.filter { header in
            guard let name = HTTPField.Name(header.name), let found = fields[name] else { return true }
            return !found.lowercased().split { $0 == "," || $0 == ";" }
                .contains { $0.split(separator: " ").joined(separator: " ") == header.value.lowercased() }
        }.map(\.name)
    }

    /// The browser keeps no copy of the relay page, which may hold the answer to a login.
    private static let cacheControl = (name: "Cache-Control", value: "no-store")

    /// For Netlify and Cloudflare Pages. Both add the lines of every rule that fits. Cloudflare leaves out `.html`.
    private var headersFile: String {
        let common = Self.headers.filter { $0.name != Self.cacheControl.name }
        let lines = common.map { "  \($0.name): \($0.value)" }
        let noStore = "  \(Self.cacheControl.name): \(Self.cacheControl.value)"
        return """
            # For Netlify and Cloudflare Pages. They read this file in the top folder of what you publish.
            \(path)*
            \(lines.joined(separator: "\n"))
            \(path)\(HostedClient.pageName)
            \(noStore)
            \(path)\(HostedClient.pageName.replacing(".html", with: ""))
            \(noStore)

            """
    }

    private var nginxSnippet: String {
        let lines = Self.headers.map { #"    add_header \#($0.name) "\#($0.value)" always;"# }
        return """
            # For nginx. Include this file in the server block of \(host).
            # The add_header lines of the server block do not hold in this location. Repeat those that you need.
            location = \(path)\(HostedClient.pageName) {
            \(lines.joined(separator: "\n"))
            }

            """
    }

    private var caddySnippet: String {
        let lines = Self.headers.map { #"    \#($0.name) "\#($0.value)""# }
        return """
            # For Caddy. Import this file in the site block of \(host).
            @bskyauth-relay path \(path)\(HostedClient.pageName)
            header @bskyauth-relay {
            \(lines.joined(separator: "\n"))
            }

            """
    }
}

extension StaticSite {
    /// The path of the workflow in a repository.
    static let workflowPath = ".github/workflows/publish-client.yml"

    /// A workflow for GitHub Pages that publishes a folder of the repository. In the settings of the repository, the
    /// source of Pages must be "GitHub Actions".
    ///
    /// Every action is named by its commit, because tags can be moved.
    static func workflow(publishing folder: String) -> String {
        """
        # Publishes the OAuth client of this repository. Set Settings > Pages > Source to "GitHub Actions".
        name: Publish the client
        on:
          push:
            branches: [main]
          workflow_dispatch:
        permissions:
          contents: read
          pages: write
          id-token: write
        # A later push waits, so that a document is never published half.
        concurrency:
          group: pages
          cancel-in-progress: false
        jobs:
          publish:
            runs-on: ubuntu-24.04
            environment:
              name: github-pages
              url: ${{ steps.deployment.outputs.page_url }}
            steps:
              - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
                with:
                  persist-credentials: false
              - uses: actions/upload-pages-artifact@7b1f4a764d45c48632c6b24a0339c27f5614fb0b # v4.0.0
                with:
                  path: '\(folder.replacing("'", with: "''"))'
              - id: deployment
                uses: actions/deploy-pages@d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e # v4.0.5

        """
    }
}
