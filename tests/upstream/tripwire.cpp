// Ends an upstream program on our context if it uses Asio's own scheduler or resolver, because its test could
// then pass without running on our loop. The function in this file replaces pthread_create() in each upstream
// program (--wrap), and ends the program if Asio creates a thread for its scheduler or resolver. Other
// threads are allowed.
#include <cxxabi.h>
#include <pthread.h>

#include <boost/asio/detail/thread.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <typeinfo>

namespace {

// Since Boost 1.92, the names of Asio's C functions can contain its version.
#ifdef BOOST_ASIO_VERSIONED_NAME
constexpr auto* asios_thread = &boost::asio::detail::BOOST_ASIO_VERSIONED_NAME(detail_posix_thread_function);
#else
constexpr auto* asios_thread = &boost::asio::detail::boost_asio_detail_posix_thread_function;
#endif

/// Returns the type of an object with virtual functions. The first word of the object points to a virtual
/// table. The word before this table points to the type (Itanium C++ ABI, 2.5.2).
const std::type_info& type_of(const void* object) {
    return *(*static_cast<const std::type_info* const* const*>(object))[-1];
}

bool is_of_asio_alone(std::string_view type) {
    return type.find("detail::scheduler::") != type.npos || type.find("work_scheduler_runner") != type.npos;
}

}  // namespace

extern "C" {

int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                          void* argument);

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                          void* argument) {
    if (start == asios_thread) {
        const std::unique_ptr<char, void (*)(void*)> type(
            abi::__cxa_demangle(type_of(argument).name(), nullptr, nullptr, nullptr), &std::free);
        if (is_of_asio_alone(type.get())) {
            std::fprintf(stderr, "tripwire: Asio creates its own thread: %s\n", type.get());
            std::_Exit(EXIT_FAILURE);
        }
    }
    return __real_pthread_create(thread, attributes, start, argument);
}
}
