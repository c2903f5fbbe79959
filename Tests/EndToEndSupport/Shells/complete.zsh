# Ctrl-G shows what Tab has made of the line, and takes the next.
fpath=("$COMPLETIONS" $fpath)
autoload -U compinit
compinit -u -D
report() {
    print -rn -- "[[$BUFFER]]"
    BUFFER=
}
zle -N report
bindkey '^G' report
PS1='go> '
