# bash completion for loopbench. What could come next is asked of the command; a file where it knows nothing.
_loopbench() {
    local line=${COMP_LINE:0:COMP_POINT} candidate front
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    while [[ ${#words[@]} -gt 1 && ${words[0]} != "$1" ]]; do  # variables before the command
        words=("${words[@]:1}")
    done
    # A name like conns:1000 is several words to bash, which puts a candidate in the place of the last of them alone.
    front=${words[-1]%"${words[-1]##*[$COMP_WORDBREAKS]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        COMPREPLY+=("${candidate#"$front"}")
    done < <("$1" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _loopbench loopbench
