internal import ATPPlatform
internal import ArgumentParser
internal import BskyAuthCore

/// The mirror of sessions, for machines whose vault is temporary.
struct MirrorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A command that stores a copy of the session elsewhere. It runs before and after each refresh, with the \
            encrypted session on standard input and the account's UUID in BSKYAUTH_BUNDLE_ACCOUNT.
            """, valueName: "command"))
    var afterRotation: String?

    @OptionGroup var bundle: BundleOptions

    /// nil if neither the command line nor the environment names a command.
    func make(_ context: CommandContext) throws -> SessionMirror? {
        guard let command = afterRotation ?? context.settings.afterRotation else { return nil }
        guard let words = ShellWords.split(command) else {
            throw Failure.usage(
                "--after-rotation is not a valid command: it is empty or has an unclosed quote")
        }
        return SessionMirror(
            sealingFor: try bundle.source(context.settings, context.console),
            to: MirrorCommand(command: words, environment: context.settings.environment))
    }
}
