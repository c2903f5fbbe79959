internal import ArgumentParser
internal import BskyAuthServerSupport
internal import FoundationEssentials
internal import ServiceLifecycle
internal import Synchronization

struct SweepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Log out the accounts that no session has any more, and refresh those that are idle.",
        discussion: "The server does this each hour by itself.")

    @OptionGroup var options: CommonOptions

    func run() async throws {
        try await Operation.run(options) { parts in
            Person.tell("looking through the accounts. Those that are idle are refreshed, one a second.")
            let sweep = SweepOnce(parts.sweep)
            // A signal begins nothing more, and the answer to a refresh that was sent is saved.
            try await BackendServer.group([sweep], graceTime: BackendServer.graceTime, logger: parts.log)
                .run()
            guard let report = sweep.report else {
                Person.tell("another process sweeps now. Wait until it is done.")
                throw ExitCode.failure
            }
            print(
                """
                kept\t\(report.kept)
                logged out\t\(report.loggedOut)
                waiting\t\(report.waiting)
                refreshed\t\(report.refreshed)
                not refreshed\t\(report.notRefreshed)
                ended\t\(report.ended)
                """)
        }
    }
}

/// One sweep, which ends its group.
private final class SweepOnce: Service {
    private let sweep: Sweep
    private let result = Mutex<Sweep.Report?>(nil)

    /// What it did; nil if another process sweeps.
    var report: Sweep.Report? { result.withLock(\.self) }

    init(_ sweep: Sweep) { self.sweep = sweep }

    func run() async throws {
        let report = try await sweep.run()
        result.withLock { $0 = report }
    }
}

struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the audit log, a line of JSON for each event.",
        discussion: "A line has the member did if the server still knows the person.")

    @Option(help: ArgumentHelp("Print only the lines of this account.", valueName: "DID")) var did: String?
    @OptionGroup var options: CommonOptions

    func run() async throws {
        try await Operation.run(options) { parts in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            for line in try await parts.audit.read() where did == nil || line.did == did {
                print(String(decoding: try encoder.encode(line), as: UTF8.self))
            }
        }
    }
}

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Copy the rows, the keys, the vault and the audit log into a new folder. The server may run meanwhile.",
        discussion: """
            The folder opens everything that the server has, so keep it as secret. An OAuth session that is refreshed after \
            the backup can't be restored from it: its server takes the old token for a stolen one.
            """)

    @Argument(help: ArgumentHelp("The folder to make.", valueName: "folder")) var folder: String
    @OptionGroup var options: CommonOptions

    func run() async throws {
        try await Operation.run(options) { parts in
            let configuration = parts.configuration
            guard !FileManager.default.fileExists(atPath: folder) else {
                Person.tell("\(folder) exists. Name a folder that does not.")
                throw ExitCode.failure
            }
            // The rows first: an account without a session is logged out after a restore, but a session without its account
            // would be of no use.
            try PrivateFiles.prepare(folder: folder)
            try PrivateFiles.prepare(folder: folder + "/rows")
            if try await !ServerStore.copy(configuration, into: folder + "/rows") {
                Person.tell("the rows are in the store, and not in this backup. Back up the store itself.")
            }
            for source in [configuration.keysFolder, configuration.vaultFolder, configuration.auditFolder]
            where FileManager.default.fileExists(atPath: source) {
                let name = source.split(separator: "/").last.map(String.init) ?? ""
                try Self.copy(folder: source, to: "\(folder)/\(name)")
            }
            guard configuration.vaultKeyFile.hasPrefix(configuration.keysFolder + "/") else {
                Person.tell(
                    "\(configuration.vaultKeyFile) is not in the backup. Keep a copy of it elsewhere.")
                return
            }
        }
    }

    /// Copies a folder with all that is in it. A file that is removed meanwhile is left out.
    private static func copy(folder: String, to target: String) throws {
        try PrivateFiles.prepare(folder: target)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let (source, copy) = ("\(folder)/\(name)", "\(target)/\(name)")
            if try isFolder(source) {
                try Self.copy(folder: source, to: copy)
            } else if let bytes = try PrivateFiles.read(source, upTo: 64 << 20) {
                try PrivateFiles.write(bytes, to: copy)
            }
        }
    }

    private static func isFolder(_ path: String) throws -> Bool {
        do {
            return try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
                == .typeDirectory
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile { return false }
    }
}
