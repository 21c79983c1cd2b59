// Runs a shell script that needs its argv[0], which the kernel replaces by the script's path when it starts
// a script. This program runs the script whose path is the program's own path plus ".sh", and passes argv[0]
// to it in $CALLED.
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
