#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <typeinfo>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

struct debug_mode {
    /// A function that is called after a slow callback. `who` is one line of text that names the task or
    /// function. If the source location that started or scheduled it is known, `who` contains the location.
    using slow_warning = std::function<void(nanoseconds took, const std::string& who)>;
    using unretrieved_warning = std::function<void(const std::exception_ptr&, const std::string& who)>;

    nanoseconds slow_limit{};
    slow_warning on_slow;
    unretrieved_warning on_unretrieved;

    /// Returns an operation that runs `posted` and stores `function`, the type of the posted function, for
    /// warnings. If there is not enough memory, returns `posted` itself. Any thread may call named().
    static operation& named(operation& posted, const std::type_info& function) noexcept;

    /// The identity of an operation. It is recorded before the operation runs, because the operation might
    /// not exist afterwards. An unknown pointer is null; an unknown location has line 0.
    struct identity {
        const void* frame = nullptr;
        const std::type_info* function = nullptr;
        std::source_location where = {};

        std::string to_text() const;
    };
    static identity identify(const operation& op);
};

/// Returns the location as text: "file:line in function".
std::string to_text(const std::source_location& where);

}  // namespace loopbench::loop
