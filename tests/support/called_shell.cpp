// The program PROGRAM runs the script PROGRAM.sh, and passes argv[0] in $CALLED, because the kernel replaces
// a script's argv[0] by its path.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    ::setenv("CALLED", argc > 0 ? argv[0] : "", 1);
    std::string script = std::filesystem::read_symlink("/proc/self/exe").native() + ".sh";
    std::string shell = "/bin/sh";
    std::vector<char*> words{shell.data(), script.data()};
    for (int i = 1; i < argc; ++i) words.push_back(argv[i]);
    words.push_back(nullptr);
    ::execv(shell.c_str(), words.data());
    return 127;
}
