#include "tests/bisection/git_history.hpp"

#include <fmt/format.h>

#include <sstream>

namespace loopbench::tests {

namespace {

/// Git ignores the configuration of the user and of the machine, so that each test gets the same commits.
constexpr std::string_view setting =
    "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
    "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ";

constexpr std::string_view build_script = R"sh(
read -r kind time < time
[ "$kind" = once ] || time=$kind
echo "$kind" >> "$folder/builds"
if [ "$kind" = once ] && ! [ -e "$folder/happened" ]; then
  echo > "$folder/happened"
  . "$folder/once"
fi
[ "$time" != broken ] || { echo 'bench.c:1: no such thing'; exit 7; }
[ "$time" != missing ] || exit 0
mkdir -p out
sed "s/TIME/$time/" program > out/bench
chmod +x out/bench
)sh";

constexpr std::string_view program = R"sh(#!/bin/sh
time=TIME name=BM_sort
[ $time != renamed ] || { time=10; name=BM_other; }
case "$1" in
  --benchmark_list_tests=true) echo $name; exit;;
esac
if [ $time = deadly ]; then
  time=20
  [ -e "$folder/happened" ] || ! [ -e "$0.again" ] || { : > "$folder/happened"; kill -9 "$(cat "$folder/pid")"; }
  : > "$0.again"
fi
if [ $time = fading ]; then
  time=20
  [ ! -e "$folder/out/last" ] || time=10
fi
[ $time != crash ] || { echo 'out of luck' >&2; exit 3; }
if [ $time = unclear ]; then
  time=10
  if [ -e "$0.again" ]; then rm "$0.again"; time=20; else : > "$0.again"; fi
fi
printf '{"context": {"library_version": "1"}, "benchmarks": [{"name": "%s", "run_name": "%s", %s}]}\n' \
  $name $name "\"run_type\": \"iteration\", \"real_time\": $time, \"cpu_time\": $time, \"time_unit\": \"ns\""
)sh";

}  // namespace

git_history::git_history(const loopbench_command& loopbench, const std::vector<std::string>& times)
    : loopbench_{loopbench} {
    std::filesystem::create_directory(loopbench.path("repo"));
    reports::write_file_atomically(loopbench.path("repo/build.sh"), build_script);
    reports::write_file_atomically(loopbench.path("repo/program"), program);
    std::string code = "git init -q -b main\n";
    for (std::size_t i = 0; i < times.size(); ++i)
        code += fmt::format(
            "echo '{}' > time; echo {} > number; git add .; git commit -qm 'change {}'; [ {} -gt 0 ] || git "
            "tag "
            "first\n",
            times[i], i, i, i);
    shell(code);
}

bench::child_outcome git_history::bisect(const std::string& words) const {
    return loopbench_.in_shell(
        fmt::format("{}cd $folder/repo && echo $$ > $folder/pid && exec $loopbench bisect -o $out --blocks 6 "
                    "--min-time 1ms {}",
                    setting, words));
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
