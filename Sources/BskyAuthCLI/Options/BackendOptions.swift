internal import ATPCryptography
internal import ATPNetworking
internal import ATPPlatform
internal import ArgumentParser
internal import BskyAuthCore
internal import OAuthDPoP

/// The server that has the key of the client of a login.
struct BackendOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Log in as the client of a bskyauth-server at this address. It has the client's key and makes the assertions.",
            valueName: "url"))
    var clientAssertions: String?

    @Option(
        help: ArgumentHelp(
            "A file with the one-time code by which that server admits this session; - reads standard input.",
            valueName: "file"))
    var enrolCodeFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificate to present to that server. The session needs it as long as it lasts.",
            valueName: "file"))
    var clientCert: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the private key of that certificate, without a passphrase.", valueName: "file"))
    var clientCertKey: String?

    func validate() throws {
        guard clientAssertions != nil || (enrolCodeFile ?? clientCert ?? clientCertKey) == nil else {
            throw ValidationError(
                "--enrol-code-file, --client-cert and --client-cert-key need --client-assertions URL")
        }
        guard (clientCert == nil) == (clientCertKey == nil) else {
            throw ValidationError("--client-cert and --client-cert-key need each other")
        }
    }

    /// The options as they were given, for the next step of a failed login.
    var words: [String] {
        [
            ("--client-assertions", clientAssertions), ("--enrol-code-file", enrolCodeFile),
            ("--client-cert", clientCert), ("--client-cert-key", clientCertKey),
        ].flatMap { name, value in value.map { [name, $0] } ?? [] }
    }

    /// The client of the server; nil if none is named.
    func choose(_ policy: NetworkPolicy, _ console: Console) throws -> LoginClient? {
        guard let clientAssertions else { return nil }
        let origin = try Self.origin(clientAssertions, policy)
        var certificate: ClientCertificate?
        if let clientCert, let clientCertKey {
            certificate = ClientCertificate(
                file: try Self.absolute(clientCert), keyFile: try Self.absolute(clientCertKey))
            // libcurl reads it by its path, so it can't be judged when it is read.
            console.warnIfReadableByOthers(clientCertKey, "the key file")
        }
        return .backend(
            AssertionBackend(origin: origin, certificate: certificate),
            code: try enrolCodeFile.map(Self.code))
    }

    private static func origin(_ text: String, _ policy: NetworkPolicy) throws -> Origin {
        let shown = text.escapedForTerminal
        let url: HTTPURL
        do { url = try HTTPURL(validating: text) } catch {
            throw Failure.usage("\"\(shown)\" is no address of a server: it \(error.reason)")
        }
        guard url.path == "/", url.query == nil else {
            throw Failure.usage(
                "--client-assertions takes the address of the server without a path, such as \(url.origin)")
        }
        if let refusal = policy.refusal(of: url) {
            throw Failure.usage("\(shown) can't be asked for assertions: \(refusal)")
        }
        return url.origin
    }

    /// Later commands run in other directories.
    private static func absolute(_ path: String) throws -> String {
        guard !InputFile.isDescriptor(path) else {
            throw Failure.usage(
                "\(path.escapedForTerminal) is no file: later commands read the certificate and its key again"
            )
        }
        let whole: String
        do { whole = path.hasPrefix("/") ? path : "\(try WorkingDirectory.path())/\(path)" } catch {
            throw Failure.usage("the working directory can't be found: \(error.reason)")
        }
        // libcurl reports a missing file only after it has connected.
        do { _ = try InputFile.read(whole, limit: 1 << 20) } catch {
            throw Failure.usage("\(path.escapedForTerminal) can't be read: \(error.reason)")
        }
        return whole
    }

    private static func code(_ path: String) throws -> SecretBytes {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(path, limit: 4096, isLine: true)
        } catch {
            throw Failure.unreadable(path, error, hint: "name a file: --enrol-code-file FILE")
        }
        let length = bytes.firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.count
        guard length > 0 else {
            throw Failure.usage(
                "\(InputFile.name(of: path).escapedForTerminal) contains no code: its first line is empty")
        }
        return SecretBytes(clearing: bytes, prefix: length)
    }
}
