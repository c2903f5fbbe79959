internal import ArgumentParser

/// The completion script of a shell.
///
/// The parser writes it for any program. These changes make it fit ours.
enum CompletionScript {
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        fileprivate var ofParser: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    static func text(for shell: Shell) -> String {
        let script = withoutParsersHelp(BskyAuth.completionScript(for: shell.ofParser))
        let changes = fileNames + noSpace + commandsFirst
        return changes.reduce(script) { $0.replacing($1.words, with: $1.others) }
    }

    /// Removes the parser's own `help` command, which would override ours: the line in the list of commands, and in bash
    /// and zsh the function that is defined last.
    private static func withoutParsersHelp(_ script: String) -> String {
        var lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        lines.removeAll { $0.contains("Show subcommand help information.") }
        if let start = lines.lastIndex(of: "_bskyauth_help() {"),
            let end = lines[start...].firstIndex(of: "}")
        {
            // The empty line after it, too.
            lines.removeSubrange(start...(end + 1))
        }
        return lines.joined(separator: "\n")
    }

    private typealias Change = (words: String, others: String)

    /// bash treats words as file names only where files are completed. Otherwise a command, an account or a method with
    /// the name of a directory would get a slash.
    private static let fileNames: [Change] = [
        ("complete -o filenames -F _bskyauth", "complete -F _bskyauth"),
        (
            "__bskyauth_add_completions() {\n",
            """
            __bskyauth_add_completions() {
                case "${1}" in
                -d|-f) compopt -o filenames 2>/dev/null ;;
                esac

            """
        ),
    ]

    /// fish asks a thousand conditions at each Tab, one for each option of each command. Which commands the line has is found out
    /// once for each line, and a condition of another command ends there.
    private static let commandsFirst: [Change] = [
        (
            "function __bskyauth_parse_tokens -S\n",
            """
            function __bskyauth_is_at -a expected_commands
                set -l line (commandline -pc)
                if test "$line" != "$__bskyauth_line"
                    set -l non_repeating_flags_or_options
                    set -l non_repeating_flags_or_options_absent 0
                    set -l positional_index 0
                    set -l commands
                    __bskyauth_parse_tokens
                    set -g __bskyauth_line $line
                    set -g __bskyauth_commands $commands
                end
                test "$__bskyauth_commands" = "$expected_commands"
            end

            function __bskyauth_parse_tokens -S

            """
        ),
        (
            "function __bskyauth_should_offer_completions_for_flags_or_options -a expected_commands\n",
            """
            function __bskyauth_should_offer_completions_for_flags_or_options -a expected_commands
                __bskyauth_is_at $expected_commands; or return 1

            """
        ),
        (
            ofPositional, ofPositional + "    __bskyauth_is_at $expected_commands; or return 1\n"
        ),
    ]

    private static let ofPositional =
        "function __bskyauth_should_offer_completions_for_positional -a expected_commands "
        + "positional_index_comparison expected_positional_index\n"

    /// In bash and zsh no space follows the equals sign of a parameter. fish adds none.
    private static let noSpace: [Change] = [
        (
            #"""
                done < <(IFS=$'\n' compgen "${@}" -- "${cur}")

            """#,
            #"""
                done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
                case "${COMPREPLY[*]}" in
                *=) compopt -o nospace 2>/dev/null ;;
                esac

            """#
        ),
        (
            #"""
                if [[ "${#completions[@]}" -gt 1 ]]; then
                    __bskyauth_complete
            """#,
            #"""
                if [[ "${completions[1]}" == *= ]]; then
                    compadd -S '' -- "${completions[@]:0:-1}"
                elif [[ "${#completions[@]}" -gt 1 ]]; then
                    __bskyauth_complete
            """#
        ),
    ]
}
