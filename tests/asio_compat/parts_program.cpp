// Ends with 0 if both parts of the program can make a context, start operations on the same context, and run
// it.
#include "tests/asio_compat/parts.hpp"

namespace parts {
namespace {

bool both_parts_can_use(types::io_context& context, bool runs_in_library) {
    int ended = 0;
    start_operations(context, ended);
    start_operations_in_library(context, ended);
    std::raise(SIGUSR1);
    runs_in_library ? run_in_library(context) : void(context.run());
    return ended == 2 * operations &&
           executor_of_library(context) == boost::asio::any_io_executor(context.get_executor());
}

}  // namespace
}  // namespace parts

int main() {
    for (const bool runs_in_library : {false, true}) {
        parts::types::io_context context;
        if (!parts::both_parts_can_use(context, runs_in_library)) return 1;
        if (!parts::both_parts_can_use(*parts::make_context_in_library(), runs_in_library)) return 2;
    }
    return 0;
}
