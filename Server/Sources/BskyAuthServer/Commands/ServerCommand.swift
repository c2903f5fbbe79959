package import ArgumentParser
internal import BskyAuthServerSupport
internal import FoundationEssentials
internal import Glibc
internal import NIOCore

/// The program `bskyauth-server`.
package struct ServerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "bskyauth-server", abstract: "Run the backend for apps that log in with AT Protocol.",
        subcommands: [
            Serve.self, Check.self, Keys.self, SessionCommands.self, Forget.self, SweepCommand.self,
            Audit.self,
            Backup.self, EnrolmentCommands.self,
        ])

    package init() {}
}

/// What every command takes.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("Read the settings from this file.", valueName: "file"))
    var file = "/etc/bskyauth-server/config.toml"

    /// Reads the settings. A mistake in them ends the program with exit status 64.
    func configuration() throws -> Configuration {
        // Every command begins here.
        do { try ServerCryptography.start() } catch {
            Person.tell("\(error).")
            throw ExitCode.failure
        }
        let text: String
        do { text = try TextFile.read(file) } catch {
            Person.tell(
                "\(error.description). Write it as Server/README.md shows, or name another file with --config."
            )
            throw ExitCode(64)
        }
        do {
            return try ConfigurationReader.read(
                text, credentials: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"])
        } catch {
            Person.tell("\(file): \(error). Change it, then run `bskyauth-server check --config \(file)`.")
            throw ExitCode(64)
        }
    }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve until SIGTERM or SIGINT.")

    @OptionGroup var options: CommonOptions

    func run() async throws {
        let configuration = try options.configuration()
        // The operator's socket is for this user alone.
        umask(0o077)
        // A command that ends before it has read its input must not end the server.
        signal(SIGPIPE, SIG_IGN)
        let files = OpenFiles.raise(to: configuration.limits.files)
        if files < configuration.limits.files {
            Person.tell(
                "warning: it may open \(files) files, and limits.connections needs \(configuration.limits.files). Allow more, for "
                    + "example with LimitNOFILE of systemd, or lower limits.connections.")
        }
        do {
            try await BackendServer(configuration, say: Person.tell).run()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            Person.tell(
                "another program listens at \(configuration.listen) already. Stop it, or change listen in \(options.file)."
            )
            throw ExitCode.failure
        } catch {
            Person.tell("the server can't run: \(error)")
            throw ExitCode.failure
        }
    }
}

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Check the settings and print each value.")

    @OptionGroup var options: CommonOptions

    func run() throws {
        let configuration = try options.configuration()
        for (key, value) in configuration.values { print("\(key) = \(value)") }
        for warning in configuration.warnings { Person.tell("warning: \(warning)") }
        guard let sites = configuration.sites else { return }
        do { _ = try Members(file: sites.members) } catch {
            Person.tell("warning: \(error.description). Until it can be read, every visitor is refused.")
        }
    }
}

/// The limit of open files of this process (getrlimit(2)).
private enum OpenFiles {
    /// Raises the limit as far as it may be raised.
    ///
    /// - Returns: the limit from now on.
    static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < wanted else { return wanted }
        var raised = limit
        raised.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
        return unsafe setrlimit(kind, &raised) == 0 ? Int(raised.rlim_cur) : Int(limit.rlim_cur)
    }
}

/// Speaks to people on standard error.
enum Person {
    @Sendable static func tell(_ sentence: String) {
        var bytes = Array("bskyauth-server: \(sentence)\n".utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(2, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
