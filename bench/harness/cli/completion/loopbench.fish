# fish completion for loopbench. `loopbench complete` prints the candidates. Without candidates, file names are
# completed.
function __loopbench_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates ($words[1] complete -- $words[2..] 2>/dev/null)
    if set -q candidates[1]
        printf '%s\n' $candidates
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c loopbench -f -a '(__loopbench_candidates)'
