#!/bin/bash

__bskyauth_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__bskyauth_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__bskyauth_add_completions() {
    case "${1}" in
    -d|-f) compopt -o filenames 2>/dev/null ;;
    esac
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
    case "${COMPREPLY[*]}" in
    *=) compopt -o nospace 2>/dev/null ;;
    esac
}

__bskyauth_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_bskyauth() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __bskyauth_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    login|accounts|whoami|switch|call|refresh|logout|exec|proxy|token|service-token|vault|client|scopes|resolve|verify|doctor|completion|help|help)
        # Offer subcommand argument completions
        "_bskyauth_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'login accounts whoami switch call refresh logout exec proxy token service-token vault client scopes resolve verify doctor completion help help' -- "${cur}"))
        ;;
    esac
}

_bskyauth_login() {
    repeating_flags=()
    non_repeating_flags=(--frozen --no-check --app-password --no-browser --switch --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(--scope --permission)
    non_repeating_options=(--label --aud --client --client-key --client-assertions --enrol-code-file --client-cert --client-cert-key --browser --port --timeout --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--label')
        return
        ;;
    '--scope')
        return
        ;;
    '--permission')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion login -- --permission "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--aud')
        return
        ;;
    '--client')
        return
        ;;
    '--client-key')
        return
        ;;
    '--client-assertions')
        return
        ;;
    '--enrol-code-file')
        return
        ;;
    '--client-cert')
        return
        ;;
    '--client-cert-key')
        return
        ;;
    '--browser')
        return
        ;;
    '--port')
        return
        ;;
    '--timeout')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion login -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_accounts() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __bskyauth_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|current|show|rename|pin|unpin|export|import)
        # Offer subcommand argument completions
        "_bskyauth_accounts_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list current show rename pin unpin export import' -- "${cur}"))
        ;;
    esac
}

_bskyauth_accounts_list() {
    repeating_flags=()
    non_repeating_flags=(--check --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--jobs --get --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--jobs')
        return
        ;;
    '--get')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts list -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_accounts_current() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--get --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--get')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts current -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_accounts_show() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--get --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--get')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts show -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts show -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_accounts_rename() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts rename -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts rename -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_accounts_pin() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts pin -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts pin -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_accounts_unpin() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts unpin -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_accounts_export() {
    repeating_flags=()
    non_repeating_flags=(--all --move --copy --share-client-key --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--to --recipient-key --bundle-passphrase-file --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--to')
        __bskyauth_add_completions -f
        return
        ;;
    '--recipient-key')
        __bskyauth_add_completions -f
        return
        ;;
    '--bundle-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts export -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts export -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_accounts_import() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--from --client-id --label --recipient-key --bundle-passphrase-file --min-generation --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--from')
        __bskyauth_add_completions -W 'bundle'$'\n''oauth-client-node'
        return
        ;;
    '--client-id')
        return
        ;;
    '--label')
        return
        ;;
    '--recipient-key')
        __bskyauth_add_completions -f
        return
        ;;
    '--bundle-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--min-generation')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion accounts import -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -f
        return
        ;;
    esac
}

_bskyauth_whoami() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--get --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--get')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion whoami -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_switch() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion switch -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion switch -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_call() {
    repeating_flags=()
    non_repeating_flags=(--no-defaults --facets --include -i --appview --chat --aud-with-service --paginate --items --anonymous --no-check --verify --dry-run --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(-H --header --field --file --labelers)
    non_repeating_options=(-X --method --input --content-type --output -o --proxy --service --cursor --limit-pages --get --host --retry --max-wait --lexicons --after-rotation --recipient-key --bundle-passphrase-file --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-X'|'--method')
        __bskyauth_add_completions -W 'query'$'\n''procedure'
        return
        ;;
    '-H'|'--header')
        return
        ;;
    '--field')
        return
        ;;
    '--file')
        return
        ;;
    '--input')
        __bskyauth_add_completions -f
        return
        ;;
    '--content-type')
        return
        ;;
    '--output'|'-o')
        __bskyauth_add_completions -f
        return
        ;;
    '--proxy')
        return
        ;;
    '--service')
        return
        ;;
    '--labelers')
        return
        ;;
    '--cursor')
        return
        ;;
    '--limit-pages')
        return
        ;;
    '--get')
        return
        ;;
    '--host')
        return
        ;;
    '--retry')
        return
        ;;
    '--max-wait')
        return
        ;;
    '--lexicons')
        __bskyauth_add_completions -d
        return
        ;;
    '--after-rotation')
        return
        ;;
    '--recipient-key')
        __bskyauth_add_completions -f
        return
        ;;
    '--bundle-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion call -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion call -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    *)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion call -- positional@1 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_refresh() {
    repeating_flags=()
    non_repeating_flags=(--all --force --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--min-ttl --jobs --fail-if-session-ends-within --after-rotation --recipient-key --bundle-passphrase-file --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--min-ttl')
        return
        ;;
    '--jobs')
        return
        ;;
    '--fail-if-session-ends-within')
        return
        ;;
    '--after-rotation')
        return
        ;;
    '--recipient-key')
        __bskyauth_add_completions -f
        return
        ;;
    '--bundle-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion refresh -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion refresh -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_logout() {
    repeating_flags=()
    non_repeating_flags=(--all --yes -y --local-only --strict --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion logout -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion logout -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_exec() {
    repeating_flags=()
    non_repeating_flags=(--read-only --keep-unlocked --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(--allow --service --for --set)
    non_repeating_options=(--log --after-rotation --recipient-key --bundle-passphrase-file --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--allow')
        return
        ;;
    '--service')
        return
        ;;
    '--log')
        __bskyauth_add_completions -f
        return
        ;;
    '--for')
        __bskyauth_add_completions -W 'env'$'\n''goat'
        return
        ;;
    '--set')
        return
        ;;
    '--after-rotation')
        return
        ;;
    '--recipient-key')
        __bskyauth_add_completions -f
        return
        ;;
    '--bundle-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion exec -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_proxy() {
    repeating_flags=()
    non_repeating_flags=(--read-only --keep-unlocked --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(--allow --service)
    non_repeating_options=(--listen --socket --env-file --log --after-rotation --recipient-key --bundle-passphrase-file --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--listen')
        return
        ;;
    '--socket')
        __bskyauth_add_completions -f
        return
        ;;
    '--env-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--allow')
        return
        ;;
    '--service')
        return
        ;;
    '--log')
        __bskyauth_add_completions -f
        return
        ;;
    '--after-rotation')
        return
        ;;
    '--recipient-key')
        __bskyauth_add_completions -f
        return
        ;;
    '--bundle-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion proxy -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion proxy -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_token() {
    repeating_flags=()
    non_repeating_flags=(--show --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(--dpop)
    non_repeating_options=(--nonce --after-rotation --recipient-key --bundle-passphrase-file --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--dpop')
        return
        ;;
    '--nonce')
        return
        ;;
    '--after-rotation')
        return
        ;;
    '--recipient-key')
        __bskyauth_add_completions -f
        return
        ;;
    '--bundle-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion token -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion token -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_service-token() {
    repeating_flags=()
    non_repeating_flags=(--aud-with-service --show --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--aud --lxm --ttl --after-rotation --recipient-key --bundle-passphrase-file --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--aud')
        return
        ;;
    '--lxm')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion service-token -- --lxm "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--ttl')
        return
        ;;
    '--after-rotation')
        return
        ;;
    '--recipient-key')
        __bskyauth_add_completions -f
        return
        ;;
    '--bundle-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion service-token -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion service-token -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_vault() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __bskyauth_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    status|unlock|lock|remember|forget|passwd|add-key|remove-key|rekey|verify|restore|share|join|machines|flush|unshare)
        # Offer subcommand argument completions
        "_bskyauth_vault_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'status unlock lock remember forget passwd add-key remove-key rekey verify restore share join machines flush unshare' -- "${cur}"))
        ;;
    esac
}

_bskyauth_vault_status() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault status -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_unlock() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--ttl --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--ttl')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault unlock -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_lock() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault lock -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_remember() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault remember -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_forget() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault forget -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_passwd() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--new-passphrase-file --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--new-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault passwd -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault passwd -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_vault_add-key() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--new-passphrase-file --new-key-file --label --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--new-passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--new-key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--label')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault add-key -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_remove-key() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault remove-key -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault remove-key -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_vault_rekey() {
    repeating_flags=()
    non_repeating_flags=(--yes -y --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(--keep-key-file --keep-passphrase-file)
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keep-key-file')
        return
        ;;
    '--keep-passphrase-file')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault rekey -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_verify() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault verify -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_restore() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault restore -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_share() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--to --takeover-after --store-password-file --machine-name --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--to')
        return
        ;;
    '--takeover-after')
        return
        ;;
    '--store-password-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--machine-name')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault share -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_join() {
    repeating_flags=()
    non_repeating_flags=(--durable --ephemeral --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--store-password-file --machine-name --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--store-password-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--machine-name')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault join -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_machines() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __bskyauth_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|forget)
        # Offer subcommand argument completions
        "_bskyauth_vault_machines_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list forget' -- "${cur}"))
        ;;
    esac
}

_bskyauth_vault_machines_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--get --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--get')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault machines list -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_machines_forget() {
    repeating_flags=()
    non_repeating_flags=(--yes -y --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault machines forget -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_flush() {
    repeating_flags=()
    non_repeating_flags=(--repair --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault flush -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_vault_unshare() {
    repeating_flags=()
    non_repeating_flags=(--force --yes -y --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion vault unshare -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_client() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __bskyauth_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    init|check|write|keys|rotate|join|list|remove)
        # Offer subcommand argument completions
        "_bskyauth_client_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'init check write keys rotate join list remove' -- "${cur}"))
        ;;
    esac
}

_bskyauth_client_init() {
    repeating_flags=()
    non_repeating_flags=(--frozen --no-check --github --public --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(--scope --permission)
    non_repeating_options=(--aud --display-name --key-label --out --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--scope')
        return
        ;;
    '--permission')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client init -- --permission "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--aud')
        return
        ;;
    '--display-name')
        return
        ;;
    '--key-label')
        return
        ;;
    '--out')
        __bskyauth_add_completions -d
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client init -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_client_check() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client check -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_client_write() {
    repeating_flags=()
    non_repeating_flags=(--github --ignore-published --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--out --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--out')
        __bskyauth_add_completions -d
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client write -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_client_keys() {
    repeating_flags=()
    non_repeating_flags=(--force --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--public --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 3

    # Offer option value completions
    case "${prev}" in
    '--public')
        __bskyauth_add_completions -f
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client keys -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    2)
        __bskyauth_add_completions -W 'list'$'\n''add'$'\n''remove'
        return
        ;;
    esac
}

_bskyauth_client_rotate() {
    repeating_flags=()
    non_repeating_flags=(--github --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-label --out --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-label')
        return
        ;;
    '--out')
        __bskyauth_add_completions -d
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client rotate -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_client_join() {
    repeating_flags=()
    non_repeating_flags=(--frozen --no-check --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(--scope --permission)
    non_repeating_options=(--name --key-label --aud --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--name')
        return
        ;;
    '--key-label')
        return
        ;;
    '--scope')
        return
        ;;
    '--permission')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client join -- --permission "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--aud')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client join -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_client_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client list -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_client_remove() {
    repeating_flags=()
    non_repeating_flags=(--force --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion client remove -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_scopes() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __bskyauth_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    explain|needed|sets)
        # Offer subcommand argument completions
        "_bskyauth_scopes_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'explain needed sets' -- "${cur}"))
        ;;
    esac
}

_bskyauth_scopes_explain() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion scopes explain -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_scopes_needed() {
    repeating_flags=()
    non_repeating_flags=(--appview --chat --aud-with-service --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=(--labelers)
    non_repeating_options=(--content-type --proxy --service --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--content-type')
        return
        ;;
    '--proxy')
        return
        ;;
    '--service')
        return
        ;;
    '--labelers')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion scopes needed -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion scopes needed -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    *)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion scopes needed -- positional@1 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_scopes_sets() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion scopes sets -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_resolve() {
    repeating_flags=()
    non_repeating_flags=(--fresh --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--get --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--get')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion resolve -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac
}

_bskyauth_verify() {
    repeating_flags=()
    non_repeating_flags=(--repo --list --expect-absent --allow-past-keys --json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--blob --from --of --get --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--blob')
        __bskyauth_add_completions -f
        return
        ;;
    '--from')
        return
        ;;
    '--of')
        return
        ;;
    '--get')
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion verify -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -o plusdirs -fX '!*.@(car)'
        return
        ;;
    esac
}

_bskyauth_doctor() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion doctor -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion doctor -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_bskyauth_completion() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion completion -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __bskyauth_add_completions -W 'bash'$'\n''zsh'$'\n''fish'
        return
        ;;
    esac
}

_bskyauth_help() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-input --no-pager --allow-private-network --version -h --help)
    repeating_options=()
    non_repeating_options=(--lexicons --account -a --color --home --passphrase-file --key-file --resolver --http-timeout --lock-timeout)
    __bskyauth_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--lexicons')
        __bskyauth_add_completions -d
        return
        ;;
    '--account'|'-a')
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion help -- --account "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    '--color')
        __bskyauth_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--home')
        __bskyauth_add_completions -d
        return
        ;;
    '--passphrase-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--key-file')
        __bskyauth_add_completions -f
        return
        ;;
    '--resolver')
        return
        ;;
    '--http-timeout')
        return
        ;;
    '--lock-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __bskyauth_add_completions -W "$(__bskyauth_custom_complete ---completion help -- positional@0 "${COMP_CWORD}" "$(__bskyauth_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

complete -F _bskyauth bskyauth
