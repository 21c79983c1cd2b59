// Runs one contract program: `contract_stock NAME [THREADS]`. Without arguments, lists the programs with the
// numbers of threads with which they run. Prints the verdict for each number of threads, and ends with the
// exit code of the clinic (tests/clinic/clinic.hpp): 0 if the context keeps the contract, 1 if not, 77 if the
// system refuses the context.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tests/contract/contract.hpp"

int main(int argc, char** argv) {
    if (argc == 1) {
        for (const auto& each : contract::programs()) {
            std::printf("%s", each.name);
            for (const int threads : each.threads) std::printf(" %d", threads);
            std::printf("\n");
        }
        return 0;
    }
    const auto named = [&](const contract::program& each) { return each.name == std::string_view(argv[1]); };
    const auto found = std::ranges::find_if(contract::programs(), named);
    if (argc > 3 || found == contract::programs().end()) {
        std::fprintf(stderr, "usage: %s [NAME [THREADS]]\n", argv[0]);
        return 2;
    }
    for (const int threads : argc == 3 ? std::vector{std::atoi(argv[2])} : found->threads) {
        std::printf("%s, threads: %d: ", found->name, threads);
        std::fflush(stdout);
        const int code = clinic::judge([&] {
            found->run(threads);
            return clinic::right();
        });
        if (code != 0) return code;
    }
    return 0;
}
