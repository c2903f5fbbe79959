internal import ArgumentParser

struct CompletionCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a completion script for bash, zsh or fish.",
        discussion: """
            The script completes commands, options, methods, their parameters, and the names of your accounts. \
            Each shell reads it from a file at its start:

              bash   ~/.local/share/bash-completion/completions/bskyauth
              zsh    _bskyauth in a directory of $fpath, before compinit is run
              fish   ~/.config/fish/completions/bskyauth.fish
            """)

    @Argument(help: "The shell.")
    var shell: CompletionScript.Shell

    @OptionGroup var global: GlobalOptions

    var usesCryptography: Bool { false }

    func run(_ context: CommandContext) async throws {
        try context.console.write(line: CompletionScript.text(for: shell))
    }
}
