# bash completion for loopbench. `loopbench complete` prints the candidates. Without candidates, file names are
# completed.
_loopbench() {
    local line=${COMP_LINE:0:COMP_POINT} candidate front
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    while [[ ${#words[@]} -gt 1 && ${words[0]} != "$1" ]]; do  # skips assignments of variables before the command
        words=("${words[@]:1}")
    done
    # bash splits a name such as conns:1000 into several words, and a candidate replaces only the last of these words.
    # Therefore the text of the earlier words is removed from the beginning of each candidate.
    front=${words[-1]%"${words[-1]##*[$COMP_WORDBREAKS]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        COMPREPLY+=("${candidate#"$front"}")
    done < <("$1" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _loopbench loopbench
