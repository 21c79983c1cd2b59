#include "tests/bisection/git_history.hpp"

#include <fmt/format.h>

#include <sstream>

namespace loopbench::tests {

namespace {

/// Git ignores the configuration of the user and of the machine, so that each test gets the same commits.
constexpr std::string_view setting =
    "export HOME=$folder XDG_CONFIG_HOME=$folder GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a "
    "GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ";

constexpr std::string_view build_script = R"sh(
read -r kind time second < time
case "$kind" in
  once) ;;
  data|two|sizes|count|fading|flaky|shaky|fragile) second="$time $second"; time=$kind ;;
  *) time=$kind ;;
esac
echo "$kind" >> "$folder/builds"
if [ "$kind" = once ] && ! [ -e "$folder/happened" ]; then
  echo > "$folder/happened"
  . "$folder/once"
fi
[ "$time" != broken ] || { printf 'bench.c:1: no such thing\033[31m\n'; exit 7; }
[ "$time" != full ] || { echo 'cc: error: bench.o: No space left on device'; echo 'make: *** Error 1'; exit 1; }
[ "$time" != quota ] || { echo 'cc: error: bench.o: Disk quota exceeded'; echo 'make: *** Error 1'; exit 1; }
[ "$time" != fragile ] || ! [ -e "$folder/happened" ] || exit 1
[ "$time" != missing ] || exit 0
mkdir -p out
sed "s/TIME/$time/; s/WORDS/$second/" program > out/bench
chmod +x out/bench
)sh";

constexpr std::string_view program = R"sh(#!/bin/sh
set -- TIME "${1#--}" WORDS
time=$1 name=BM_sort other=BM_find second= counter=
happens_once() { ! [ -e "$folder/happened" ] && : > "$folder/happened"; }
case $time in
  renamed) time=10 name=BM_other ;;
  data) read -r _ time < time ;;
  two) time=$3 second=${4-} ;;
  sizes)
    time=$3 second=10 other=BM_sort/8
    ! [ -e "$folder/out/last" ] || second=failed ;;
  count) time=10 counter=", \"allocations\": $3" ;;
esac
case "$2" in
  benchmark_list_tests=true)
    echo $name
    [ -z "$second" ] || echo "$other"
    exit;;
esac
case $time in
  crash) echo 'out of luck' >&2; exit 3 ;;
  deadly)
    time=20
    ! [ -e "$0.again" ] || ! happens_once || kill -9 "$(cat "$folder/pid")"
    : > "$0.again" ;;
  fading)
    time=20
    [ ! -e "$folder/out/last" ] || time=$3 ;;
  flaky)
    time=10
    ! [ -e "$folder/out/$3" ] || ! happens_once || { echo 'out of luck' >&2; exit 3; } ;;
  fragile)
    time=10
    ! [ -e "$folder/out/last" ] || ! happens_once || kill -9 "$(cat "$folder/pid")" ;;
  shaky)
    time=10
    case $LOOPBENCH_CONTENDER in *[~=+]*) [ ! -e "$folder/out/$3" ] || time=40 ;; esac ;;
  unclear)
    time=10
    if [ -e "$0.again" ]; then rm "$0.again"; time=20; else : > "$0.again"; fi ;;
esac
row() {
  case $2 in
    error) set -- "$1" 0 ', "error_occurred": true, "error_message": "unsupported: nothing found"' ;;
    failed) set -- "$1" 0 ', "error_occurred": true, "error_message": "out of luck"' ;;
  esac
  printf '{"name": "%s", "run_name": "%s", "run_type": "iteration", "real_time": %s, "cpu_time": %s, %s}' \
    "$1" "$1" "$2" "$2" "\"time_unit\": \"ns\"${3-}"
}
printf '{"context": {"library_version": "1"}, "benchmarks": ['
row $name $time "$counter"
[ -z "$second" ] || { printf ', '; row "$other" "$second"; }
echo ']}'
)sh";

}  // namespace

git_history::git_history(const loopbench_command& loopbench, const std::vector<std::string>& times)
    : loopbench_{loopbench} {
    std::filesystem::create_directory(loopbench.path("repo"));
    reports::write_file_atomically(loopbench.path("repo/build.sh"), build_script);
    reports::write_file_atomically(loopbench.path("repo/program"), program);
    std::string code = "git init -q; git symbolic-ref HEAD refs/heads/main\n";
    for (std::size_t i = 0; i < times.size(); ++i)
        code += fmt::format(
            "echo '{0}' > time; echo {1} > number; git add .; git commit -qm 'change {1}'\n"
            "[ {1} -gt 0 ] || git tag first\n",
            times[i], i);
    shell(code);
}

bench::child_outcome git_history::bisect(const std::string& words, int blocks) const {
    return loopbench_.in_shell(fmt::format(
        "{}cd $folder/repo && echo $$ > $folder/pid && exec $loopbench bisect -o $out --blocks {} "
        "--min-time 1ms {}",
        setting, blocks, words));
}

std::string git_history::shell(const std::string& code) const {
    const auto ran = loopbench_.in_shell(fmt::format("{}cd $folder/repo && {{ {}\n}}", setting, code));
    EXPECT_EQ(ran.code, 0) << code << ran.error_tail;
    return ran.output;
}

nlohmann::json git_history::result() const {
    return nlohmann::json::parse(content_of(loopbench_.path("out/bisect.json")));
}

std::vector<std::string> git_history::suspects() const {
    std::vector<std::string> all;
    const auto found = result();
    for (const auto& commit : found.at("suspects")) all.push_back(commit.at("subject"));
    return all;
}

std::vector<std::string> git_history::builds() const {
    std::istringstream lines{content_of(loopbench_.path("builds"))};
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
}

}  // namespace loopbench::tests
