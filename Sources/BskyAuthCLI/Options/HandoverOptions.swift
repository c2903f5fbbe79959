internal import ArgumentParser
internal import BskyAuthCore
internal import Platform

/// Where sessions are kept beside the vault, for machines whose vault does not stay.
struct HandoverOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A command that stores the session elsewhere: before a refresh and after it, it gets the sealed \
            session on standard input, and in $BSKYAUTH_BUNDLE_ACCOUNT whose it is.
            """, valueName: "command"))
    var afterRotation: String?

    @OptionGroup var bundle: BundleOptions

    /// nil where neither the command line nor the environment names a command.
    func make(_ context: CommandContext) throws(Failure) -> SessionHandover? {
        guard let command = afterRotation ?? context.settings.afterRotation else { return nil }
        guard let words = ShellWords.split(command) else {
            throw .usage("--after-rotation is no command: it is empty, or leaves a quote open")
        }
        return SessionHandover(
            sealingFor: try bundle.source(context.settings),
            to: CommandStore(command: words, environment: context.settings.environment))
    }
}
