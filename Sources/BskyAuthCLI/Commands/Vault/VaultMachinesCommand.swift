internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import FoundationEssentials

struct VaultMachinesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "machines",
        abstract: "Show the machines that share the vault.",
        subcommands: [VaultMachinesListCommand.self, VaultMachinesForgetCommand.self],
        defaultSubcommand: VaultMachinesListCommand.self)
}

struct VaultMachinesListCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the machines. An asterisk marks this one.")

    @OptionGroup var part: GetOption

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let members = try await context.sharedAccounts().machines()
        return Document(
            ["schema": "bskyauth.vault-machines/1", "machines": .array(members.map(\.json))],
            part: part, text: .table(table(members)))
    }

    private func table(_ members: [SharedAccounts.Member]) -> Table {
        var table = Table(header: ["", "MACHINE", "DISK", "UNFINISHED", "ID"])
        for member in members {
            table.append([
                member.isThis ? "*" : "", member.machine.name.escapedForTerminal,
                member.machine.isDurable ? "durable" : "ephemeral", "\(member.claims.count)",
                member.machine.id.text,
            ])
        }
        return table
    }
}

struct VaultMachinesForgetCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Let the others go on without a machine that never returns.",
        discussion: """
            Takes the machine off the list. Accounts that wait for it are refreshed by the other machines again. If \
            the machine did refresh one of them, its server may end that session. The machine's key file still opens \
            the vault.
            """)

    @Argument(
        help: ArgumentHelp("The machine: its name, its id, or the beginning of its id.", valueName: "machine")
    )
    var name: String

    @Flag(name: .shortAndLong, help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let accounts = try context.sharedAccounts()
        let member = try find(try await accounts.machines())
        let word = member.machine.name.escapedForTerminal
        guard !member.isThis else {
            throw Failure(
                .usage, "own_machine", "\(word) is this machine, which goes on using the vault",
                hint: "on another machine, run: bskyauth vault machines forget \(member.machine.id.text)")
        }
        if !member.claims.isEmpty {
            let count = member.claims.count
            context.console.say("waiting for \(word): \(count) account\(count == 1 ? "" : "s")")
        }
        if !yes {
            let command = "bskyauth vault machines forget --yes \(member.machine.id.text)"
            guard try context.confirm("Does \(word) never return?", sayingYes: command) else {
                throw Failure(.declined, "declined", "no machine was forgotten")
            }
        }
        let freed = try await accounts.forget(member.machine.id)
        return Document([
            "schema": "bskyauth.vault-machine/1", "machine": member.json,
            "freed": .array(freed.map { .string($0.text) }),
        ]) {
            context.console.say(
                "forgot \(word); to change the vault's key files: bskyauth vault remove-key --help")
        }
    }

    private func find(_ members: [SharedAccounts.Member]) throws -> SharedAccounts.Member {
        let id = name.lowercased()
        let found = members.filter {
            $0.machine.name == name || (id.count >= 4 && $0.machine.id.text.hasPrefix(id))
        }
        switch found.count {
        case 1: return found[0]
        case 0:
            throw Failure(
                .usage, "unknown_machine", "no machine of the vault is called \"\(name.escapedForTerminal)\"",
                hint: "bskyauth vault machines")
        default:
            throw Failure(
                .usage, "ambiguous_machine",
                "\(found.count) machines are called \"\(name.escapedForTerminal)\"; name one by its id",
                hint: "bskyauth vault machines")
        }
    }
}

extension SharedAccounts.Member {
    fileprivate var json: JSONValue {
        [
            "id": .string(machine.id.text), "name": .string(machine.name),
            "durable": .bool(machine.isDurable),
            "this": .bool(isThis), "unfinished": .array(claims.map { .string($0.text) }),
        ]
    }
}
