// A program that starts another program with the function that its first argument names.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

int spawn(bool with_path, char** arguments) {
    pid_t child = 0;
    const auto start = with_path ? ::posix_spawnp : ::posix_spawn;
    if (start(&child, arguments[0], nullptr, nullptr, arguments, environ) != 0) return 1;
    int status = 0;
    return ::waitpid(child, &status, 0) == child ? status : 1;
}

int start(std::string_view function, char** arguments) {
    const char* const program = arguments[0];
    if (function == "execl") return ::execl(program, program, "1", nullptr);
    if (function == "execlp") return ::execlp(program, program, "1", nullptr);
    if (function == "execle") return ::execle(program, program, "1", nullptr, environ);
    if (function == "execv") return ::execv(program, arguments);
    if (function == "execvp") return ::execvp(program, arguments);
    if (function == "execvpe") return ::execvpe(program, arguments, environ);
    if (function == "fexecve") return ::fexecve(::open(program, O_RDONLY | O_CLOEXEC), arguments, environ);
    if (function == "posix_spawn") return spawn(false, arguments);
    if (function == "posix_spawnp") return spawn(true, arguments);
    if (function == "system") return std::system(program);
    std::FILE* const opened = ::popen(program, "r");
    return opened == nullptr ? 1 : ::pclose(opened);
}

}  // namespace

int main(int argc, char** argv) {
    return argc == 3 && start(argv[1], argv + 2) == 0 ? 0 : 1;
}
