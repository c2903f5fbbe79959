# Ctrl-G shows what Tab has made of the line, and takes the next.
bskyauth completion fish | source
function report
    printf '[[%s]]' (commandline)
    commandline ''
end
bind \cg report
function fish_prompt
    printf 'go> '
end
