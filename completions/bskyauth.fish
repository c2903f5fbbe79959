function __bskyauth_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __bskyauth_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __bskyauth_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __bskyauth_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __bskyauth_parse_tokens -S
    set -l unparsed_tokens (__bskyauth_tokens -pc)
    switch $unparsed_tokens[1]
    case 'bskyauth'
        __bskyauth_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'login'
            __bskyauth_parse_subcommand 1 'label=' 'scope=+' 'client-id=' 'app-password' 'no-browser' 'browser=' 'port=' 'timeout=' 'switch' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'accounts'
            __bskyauth_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __bskyauth_parse_subcommand 0 'check' 'jobs=' 'get=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'current'
                __bskyauth_parse_subcommand 0 'get=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'show'
                __bskyauth_parse_subcommand 1 'get=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'rename'
                __bskyauth_parse_subcommand 2 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'pin'
                __bskyauth_parse_subcommand 1 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'unpin'
                __bskyauth_parse_subcommand 0 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'export'
                __bskyauth_parse_subcommand 1 'to=' 'recipient-key=' 'bundle-passphrase-file=' 'move' 'copy' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'import'
                __bskyauth_parse_subcommand 1 'recipient-key=' 'bundle-passphrase-file=' 'min-generation=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            end
        case 'whoami'
            __bskyauth_parse_subcommand 0 'get=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'switch'
            __bskyauth_parse_subcommand 1 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'call'
            __bskyauth_parse_subcommand -r 2 'X/method=' 'H/header=+' 'field=+' 'file=+' 'input=' 'content-type=' 'no-defaults' 'o/output=' 'i/include' 'proxy=' 'appview' 'chat' 'labelers=+' 'paginate' 'items' 'cursor=' 'limit-pages=' 'get=' 'anonymous' 'host=' 'retry=' 'max-wait=' 'no-check' 'dry-run' 'after-rotation=' 'recipient-key=' 'bundle-passphrase-file=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'refresh'
            __bskyauth_parse_subcommand -r 1 'all' 'min-ttl=' 'force' 'jobs=' 'fail-if-session-ends-within=' 'after-rotation=' 'recipient-key=' 'bundle-passphrase-file=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'logout'
            __bskyauth_parse_subcommand -r 1 'all' 'y/yes' 'local-only' 'strict' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'token'
            __bskyauth_parse_subcommand 1 'dpop=+' 'nonce=' 'show' 'after-rotation=' 'recipient-key=' 'bundle-passphrase-file=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'vault'
            __bskyauth_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'status'
                __bskyauth_parse_subcommand 0 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'unlock'
                __bskyauth_parse_subcommand 0 'ttl=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'lock'
                __bskyauth_parse_subcommand 0 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'remember'
                __bskyauth_parse_subcommand 0 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'forget'
                __bskyauth_parse_subcommand 0 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'passwd'
                __bskyauth_parse_subcommand 1 'new-passphrase-file=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'add-key'
                __bskyauth_parse_subcommand 0 'new-passphrase-file=' 'new-key-file=' 'label=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'remove-key'
                __bskyauth_parse_subcommand 1 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'rekey'
                __bskyauth_parse_subcommand 0 'keep-key-file=+' 'keep-passphrase-file=+' 'y/yes' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'verify'
                __bskyauth_parse_subcommand 0 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            case 'restore'
                __bskyauth_parse_subcommand -r 1 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            end
        case 'client'
            __bskyauth_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'metadata'
                __bskyauth_parse_subcommand 1 'name=' 'scope=+' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
            end
        case 'resolve'
            __bskyauth_parse_subcommand 1 'fresh' 'get=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'doctor'
            __bskyauth_parse_subcommand 1 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'completion'
            __bskyauth_parse_subcommand 1 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'help'
            __bskyauth_parse_subcommand -r 1 'a/account=' 'json' 'q/quiet' 'v/verbose' 'no-input' 'no-pager' 'color=' 'home=' 'passphrase-file=' 'key-file=' 'resolver=' 'allow-private-network' 'http-timeout=' 'lock-timeout=' 'version' 'h/help'
        case 'help'
            __bskyauth_parse_subcommand -r 1 'version'
        end
    end
end

function __bskyauth_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __bskyauth_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __bskyauth_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __bskyauth_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__bskyauth_tokens -p)
    if test -z "$(__bskyauth_tokens -t)"
        set -l index (count (__bskyauth_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'bskyauth' -f
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'login' -d 'Log in to an account in the browser.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'accounts' -d 'List and manage the accounts in the vault.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'whoami' -d 'Show the account that commands use here, like accounts current.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'switch' -d 'Change the active account.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'call' -d 'Make an XRPC call and print the response.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'refresh' -d 'Refresh access tokens that are about to expire.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'logout' -d 'Log out: end sessions at their servers and remove the accounts from the vault.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'token' -d 'Print the Authorization and DPoP headers for one request.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'vault' -d 'Manage the encrypted vault.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'client' -d 'Set up your own OAuth client.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'resolve' -d 'Look up an account: its DID, handle, PDS and authorization server.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'doctor' -d 'Check this machine, the network and your accounts for problems.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'completion' -d 'Print a completion script for bash, zsh or fish.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth" -eq 1' -fa 'help' -d 'Show help for a command, a method or a topic.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" label' -l 'label' -d 'Your name for this session. One account can have several, for example work and ci.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login"' -l 'scope' -d 'A scope to ask for. Repeatable. The scope atproto is always included (default: atproto transition:generic).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" client-id' -l 'client-id' -d 'The URL of your hosted client metadata document.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" app-password' -l 'app-password' -d 'Log in with an app password instead of the browser. It is read from the terminal or standard input.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" no-browser' -l 'no-browser' -d 'Print the sign-in URL and open no browser.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" browser' -l 'browser' -d 'The command that opens the URL. It overrides BSKYAUTH_BROWSER, BROWSER and xdg-open.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" port' -l 'port' -d 'The port to listen on, or a range such as 8400-8410.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" timeout' -l 'timeout' -d 'How long to wait for the sign-in, from 1s to 10m.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" switch' -l 'switch' -d 'Make this the active account.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion login -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth login" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts" -eq 1' -fa 'list' -d 'List the accounts. An asterisk marks the active one.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts" -eq 1' -fa 'current' -d 'Show the account that commands use here, and why.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts" -eq 1' -fa 'show' -d 'Show the details of one account, without its secrets.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts" -eq 1' -fa 'rename' -d 'Change the label of an account.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts" -eq 1' -fa 'pin' -d 'Choose the account for this directory and everything below it.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts" -eq 1' -fa 'unpin' -d 'Remove the pin of this directory.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts" -eq 1' -fa 'export' -d 'Export an account to an encrypted file, to move it to another machine.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts" -eq 1' -fa 'import' -d 'Import an account that was exported from another machine.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" check' -l 'check' -d 'Ask each account\'s server whether the session works. The exit status is that of the first problem.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" jobs' -l 'jobs' -d 'How many accounts --check checks at the same time.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" get' -l 'get' -d 'Print the values at this path of the JSON result, one per line and strings without quotes. For example .uri, .records[0].uri, .records[].value.text or ."na.me".' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion accounts list -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" get' -l 'get' -d 'Print the values at this path of the JSON result, one per line and strings without quotes. For example .uri, .records[0].uri, .records[].value.text or ."na.me".' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion accounts current -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts current" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts show" -eq 1' -fka '(__bskyauth_custom_completion ---completion accounts show -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" get' -l 'get' -d 'Print the values at this path of the JSON result, one per line and strings without quotes. For example .uri, .records[0].uri, .records[].value.text or ."na.me".' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion accounts show -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts rename" -eq 1' -fka '(__bskyauth_custom_completion ---completion accounts rename -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion accounts rename -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts rename" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts pin" -eq 1' -fka '(__bskyauth_custom_completion ---completion accounts pin -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion accounts pin -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts pin" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion accounts unpin -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts unpin" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts export" -eq 1' -fka '(__bskyauth_custom_completion ---completion accounts export -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" to' -l 'to' -d 'The file to create. It must not exist. With --copy, - writes to standard output.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" recipient-key' -l 'recipient-key' -d 'The key file that opens the bundle. You can use the other machine\'s --key-file.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" bundle-passphrase-file' -l 'bundle-passphrase-file' -d 'A file whose first line is the passphrase of the bundle.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" move' -l 'move' -d 'Remove the account from this vault after the export.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" copy' -l 'copy' -d 'Keep the account in this vault too. The machine that refreshes second ends the session on both.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion accounts export -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth accounts import" -eq 1' -F
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" recipient-key' -l 'recipient-key' -d 'The key file that opens the bundle. You can use the other machine\'s --key-file.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" bundle-passphrase-file' -l 'bundle-passphrase-file' -d 'A file whose first line is the passphrase of the bundle.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" min-generation' -l 'min-generation' -d 'Refuse a bundle with a lower generation (exit status 75). See bskyauth-ci(7).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion accounts import -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth accounts import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" get' -l 'get' -d 'Print the values at this path of the JSON result, one per line and strings without quotes. For example .uri, .records[0].uri, .records[].value.text or ."na.me".' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion whoami -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth whoami" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth switch" -eq 1' -fka '(__bskyauth_custom_completion ---completion switch -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion switch -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth switch" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth call" -eq 1' -fka '(__bskyauth_custom_completion ---completion call -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth call" -ge 2' -fka '(__bskyauth_custom_completion ---completion call -- positional@1 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" X method' -s 'X' -l 'method' -d 'query or procedure, if the method\'s name suggests the wrong one.' -rfka 'query procedure'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call"' -s 'H' -l 'header' -d 'Send a header, written Name:value. Repeatable.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call"' -l 'field' -d 'Send a string, written name=value. Use it for text you did not write: nothing in the value is interpreted. Repeatable.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call"' -l 'file' -d 'Send the text of a file, written name=PATH, or the JSON in it, written name:=PATH; - reads standard input. Repeatable.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" input' -l 'input' -d 'Send this file as the whole body; - reads standard input.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" content-type' -l 'content-type' -d 'The media type of --input, if neither the file\'s name nor the method nor the content tells it.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" no-defaults' -l 'no-defaults' -d 'Send a write without the repo, $type and createdAt that are filled in otherwise.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" o output' -l 'output' -s 'o' -d 'Write the response to a file; - is standard output.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" i include' -l 'include' -s 'i' -d 'Print the status and the headers of the response first, and the whole response if it is an error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" proxy' -l 'proxy' -d 'Send the call through the PDS to a service, for example did:web:api.bsky.app#bsky_appview.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" appview' -l 'appview' -d 'Send the call through the PDS to Bluesky\'s AppView.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" chat' -l 'chat' -d 'Send the call through the PDS to Bluesky\'s chat. Needs a login with --scope transition:chat.bsky.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call"' -l 'labelers' -d 'Ask for the labels of a labeler. Append ;redact to leave out content it has taken down. Repeatable; an empty text asks for no labels.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" paginate' -l 'paginate' -d 'Read all pages of a query and print one page per line.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" items' -l 'items' -d 'Read all pages of a query and print one item per line.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" cursor' -l 'cursor' -d 'Begin at this cursor.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" limit-pages' -l 'limit-pages' -d 'Stop after this many pages.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" get' -l 'get' -d 'Print the values at this path of the JSON result, one per line and strings without quotes. For example .uri, .records[0].uri, .records[].value.text or ."na.me".' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" anonymous' -l 'anonymous' -d 'Call without an account: no credentials, no vault.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" host' -l 'host' -d 'The server, for example https://pds.example.com. Without --anonymous only the account\'s own server is allowed.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" retry' -l 'retry' -d 'How often to retry after a rate limit, a server error or a network error. Only for queries and for procedures that can safely be sent twice.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" max-wait' -l 'max-wait' -d 'With --retry: the longest total wait for one request (default: 2m).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" no-check' -l 'no-check' -d 'Send the call even if it lacks parameters or has wrong ones, as far as the public lexicons say.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" dry-run' -l 'dry-run' -d 'Print the request without its secrets and send nothing.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" after-rotation' -l 'after-rotation' -d 'A command that stores a copy of the session elsewhere. It runs before and after each refresh, with the encrypted session on standard input and the account\'s UUID in BSKYAUTH_BUNDLE_ACCOUNT.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" recipient-key' -l 'recipient-key' -d 'The key file that opens the bundle. You can use the other machine\'s --key-file.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" bundle-passphrase-file' -l 'bundle-passphrase-file' -d 'A file whose first line is the passphrase of the bundle.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion call -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth call" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth refresh" -ge 1' -fka '(__bskyauth_custom_completion ---completion refresh -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" all' -l 'all' -d 'Refresh every account.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" min-ttl' -l 'min-ttl' -d 'Refresh tokens that expire sooner than this, at most half their lifetime (default: 30m with --all, otherwise the limit that `call` uses).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" force' -l 'force' -d 'Refresh even if the token is still fresh, and retry a session in the state uncertain.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" jobs' -l 'jobs' -d 'How many accounts to refresh at the same time.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" fail-if-session-ends-within' -l 'fail-if-session-ends-within' -d 'Exit with 4 if a session ends sooner than this, for example 3d, even if it was refreshed.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" after-rotation' -l 'after-rotation' -d 'A command that stores a copy of the session elsewhere. It runs before and after each refresh, with the encrypted session on standard input and the account\'s UUID in BSKYAUTH_BUNDLE_ACCOUNT.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" recipient-key' -l 'recipient-key' -d 'The key file that opens the bundle. You can use the other machine\'s --key-file.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" bundle-passphrase-file' -l 'bundle-passphrase-file' -d 'A file whose first line is the passphrase of the bundle.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion refresh -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth refresh" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth logout" -ge 1' -fka '(__bskyauth_custom_completion ---completion logout -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" all' -l 'all' -d 'Log out of every account.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" y yes' -l 'yes' -s 'y' -d 'Don\'t ask for confirmation.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" local-only' -l 'local-only' -d 'Remove the account here only. The session at the server stays until it ends by itself.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" strict' -l 'strict' -d 'Keep the account if its server does not confirm that the session has ended.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion logout -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth logout" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth token" -eq 1' -fka '(__bskyauth_custom_completion ---completion token -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token"' -l 'dpop' -d 'The method and the URL of the request.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" nonce' -l 'nonce' -d 'The DPoP-Nonce header of the server\'s last response.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" show' -l 'show' -d 'Print the token even if standard output is a terminal.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" after-rotation' -l 'after-rotation' -d 'A command that stores a copy of the session elsewhere. It runs before and after each refresh, with the encrypted session on standard input and the account\'s UUID in BSKYAUTH_BUNDLE_ACCOUNT.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" recipient-key' -l 'recipient-key' -d 'The key file that opens the bundle. You can use the other machine\'s --key-file.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" bundle-passphrase-file' -l 'bundle-passphrase-file' -d 'A file whose first line is the passphrase of the bundle.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion token -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth token" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'status' -d 'Show where the vault is, its keys, and whether it is locked.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'unlock' -d 'Unlock the vault for a while, in every shell.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'lock' -d 'Lock the vault before the time of vault unlock is over.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'remember' -d 'Let the keyring of your desktop session open the vault.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'forget' -d 'Stop the keyring of your desktop session from opening the vault.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'passwd' -d 'Change a passphrase of the vault.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'add-key' -d 'Add a passphrase or key file that opens the vault.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'remove-key' -d 'Remove a passphrase or key file from the vault. The last key can\'t be removed.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'rekey' -d 'Encrypt everything again under a new vault key.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'verify' -d 'Check every file of the vault for damage. Changes nothing.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault" -eq 1' -fa 'restore' -d 'Restore damaged files from their second copies.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault status -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" ttl' -l 'ttl' -d 'For how long, for example 90s or 8h; at most 24h (default: 15m).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault unlock -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault unlock" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault lock -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault lock" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault remember -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remember" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault forget -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault forget" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" new-passphrase-file' -l 'new-passphrase-file' -d 'A file whose first line is the new passphrase, of at least 8 characters. Without it, you are asked.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault passwd" -eq 1' -fka '(__bskyauth_custom_completion ---completion vault passwd -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault passwd -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault passwd" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" new-passphrase-file' -l 'new-passphrase-file' -d 'A file whose first line is the new passphrase, of at least 8 characters. Without it, you are asked.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" new-key-file' -l 'new-key-file' -d 'The key file to add. It is created if it does not exist. Without this option, a passphrase is added.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" label' -l 'label' -d 'The name of the key in vault status and vault remove-key.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault add-key -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault add-key" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth vault remove-key" -eq 1' -fka '(__bskyauth_custom_completion ---completion vault remove-key -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault remove-key -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault remove-key" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey"' -l 'keep-key-file' -d 'Another key file to keep. Repeatable.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey"' -l 'keep-passphrase-file' -d 'A file whose first line is another passphrase to keep. Repeatable.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" y yes' -l 'yes' -s 'y' -d 'Don\'t ask before keys are removed.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault rekey -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault rekey" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault verify -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault verify" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion vault restore -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth vault restore" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth client" -eq 1' -fa 'metadata' -d 'Print a client metadata document to host.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" name' -l 'name' -d 'The name shown on the consent page.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata"' -l 'scope' -d 'A scope the client may ask for. Repeatable. The scope atproto is always included.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion client metadata -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth client metadata" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" fresh' -l 'fresh' -d 'Ask again instead of using answers of the last ten minutes.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" get' -l 'get' -d 'Print the values at this path of the JSON result, one per line and strings without quotes. For example .uri, .records[0].uri, .records[].value.text or ."na.me".' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion resolve -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth resolve" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth doctor" -eq 1' -fka '(__bskyauth_custom_completion ---completion doctor -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion doctor -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth doctor" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth completion" -eq 1' -fka 'bash zsh fish'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion completion -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth completion" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_positional "bskyauth help" -ge 1' -fka '(__bskyauth_custom_completion ---completion help -- positional@0 (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" a account' -l 'account' -s 'a' -d 'The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.' -rfka '(__bskyauth_custom_completion ---completion help -- --account (count (__bskyauth_tokens -pc)) (__bskyauth_tokens -tC))'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" json' -l 'json' -d 'Print results as JSON on standard output, and errors as one JSON line on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" q quiet' -l 'quiet' -s 'q' -d 'Print only errors and the sign-in URL on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" v verbose' -l 'verbose' -s 'v' -d 'Print each request and its result, without secrets, on standard error.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" no-input' -l 'no-input' -d 'Never ask a question; fail if something is missing. This is the default if CI is set.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" no-pager' -l 'no-pager' -d 'Print long results without a pager.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" color' -l 'color' -d 'When to use colors.' -rfka 'auto always never'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" home' -l 'home' -d 'The vault directory.' -rfa '(__bskyauth_complete_directories)'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" passphrase-file' -l 'passphrase-file' -d 'A file whose first line is the passphrase of the vault.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" key-file' -l 'key-file' -d 'A key file that opens the vault. If there is no vault yet, both are created.' -rF
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" resolver' -l 'resolver' -d 'How to look up accounts: direct, slingshot or slingshot=URL.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" allow-private-network' -l 'allow-private-network' -d 'Allow servers at private addresses, for example a server at home.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" http-timeout' -l 'http-timeout' -d 'The time-out for one request, for example 30s. A refresh always has 90s.' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" lock-timeout' -l 'lock-timeout' -d 'How long to wait while another process uses the account (default: 10s).' -rfka ''
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" version' -l 'version' -d 'Show the version.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'bskyauth' -n '__bskyauth_should_offer_completions_for_flags_or_options "bskyauth help" version' -l 'version' -d 'Show the version.'
