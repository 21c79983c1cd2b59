#include "running_program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <tuple>
#include <utility>

#include "loop/io/fd.hpp"

namespace loopbench::tests {

namespace {

using loop::checked;
using loop::unique_fd;

std::pair<unique_fd, unique_fd> make_pipe() {
    std::array<int, 2> ends;
    checked(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
    return {unique_fd(ends[0]), unique_fd(ends[1])};
}

[[noreturn]] void become(std::vector<char*>& arguments, int input, int output, int errors) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGPIPE, SIG_DFL);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Creates a file for the program's errors. A full pipe would block the program if the test did not read the
// errors in time.
unique_fd make_error_file() {
    return unique_fd(checked(::memfd_create("errors", MFD_CLOEXEC), "memfd_create"));
}

std::string content_of(int fd) {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t count;
         (count = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(text.size()))) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(count));
    return text;
}

}  // namespace

running_program::running_program(const std::string& name, const std::vector<std::string>& arguments,
                                 unique_fd input)
    : errors_(make_error_file()) {
    std::signal(SIGPIPE, SIG_IGN);  // type() might write to a program that has ended
    if (!input) std::tie(input, input_) = make_pipe();
    auto [output, child_output] = make_pipe();
    output_ = std::move(output);

    std::vector<std::string> words{std::string(LOOPBENCH_EXAMPLES) + "/" + name};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers = pointers_to(words);
    pid_ = checked(::fork(), "fork");
    if (pid_ == 0) become(pointers, input.get(), child_output.get(), errors_.get());
}

running_program::~running_program() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void running_program::type(std::string_view text) {
    checked(static_cast<int>(::write(input_.get(), text.data(), text.size())), "write to the program");
}

void running_program::limit_descriptors(unsigned limit) const {
    rlimit limits{};
    checked(::prlimit(pid_, RLIMIT_NOFILE, nullptr, &limits), "prlimit");
    limits.rlim_cur = limit;
    checked(::prlimit(pid_, RLIMIT_NOFILE, &limits, nullptr), "prlimit");
}

void running_program::stop() const {
    checked(::kill(pid_, SIGSTOP), "stop the program");
    checked(::waitpid(pid_, nullptr, WUNTRACED), "wait until the program has stopped");
}

void running_program::go_on() const {
    checked(::kill(pid_, SIGCONT), "continue the program");
}

bool running_program::read_more() {
    std::array<char, 4096> buffer;
    const auto count = checked(static_cast<int>(::read(output_.get(), buffer.data(), buffer.size())),
                               "read from the program");
    read_.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
}

std::string running_program::read_line() {
    while (read_.find('\n') == std::string::npos && read_more()) {
    }
    const std::size_t end = read_.find('\n');
    std::string line = read_.substr(0, end);
    read_.erase(0, end == std::string::npos ? end : end + 1);
    return line;
}

program_end running_program::end() {
    while (read_more()) {
    }
    int status = 0;
    checked(::waitpid(std::exchange(pid_, -1), &status, 0), "waitpid");
    return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .output = std::exchange(read_, {}),
            .errors = content_of(errors_.get())};
}

program_end run_program(const std::string& name, const std::vector<std::string>& arguments) {
    running_program program(name, arguments);
    program.end_input();
    return program.end();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

}  // namespace loopbench::tests
