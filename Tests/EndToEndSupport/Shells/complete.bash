# Ctrl-G shows what Tab has made of the line, and takes the next.
source <(bskyauth completion bash)
report() {
    printf '[[%s]]' "$READLINE_LINE"
    READLINE_LINE=
}
bind -x '"\C-g": report'
PS1='go> '
