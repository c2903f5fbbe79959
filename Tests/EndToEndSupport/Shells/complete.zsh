# Ctrl-G shows what Tab has made of the line, and takes the next.
mkdir -p ~/.zfunc
bskyauth completion zsh >~/.zfunc/_bskyauth
fpath=(~/.zfunc $fpath)
autoload -U compinit
compinit -u -D
report() {
    print -rn -- "[[$BUFFER]]"
    BUFFER=
}
zle -N report
bindkey '^G' report
PS1='go> '
