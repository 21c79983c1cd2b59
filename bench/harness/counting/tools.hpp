// The parts that all passes with tracers and profilers share.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/trial/process/program_in_path.hpp"
#include "bench/harness/trial/process/temporary_folder.hpp"
#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

/// The reason for which something cannot be counted.
class uncountable : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

/// The file into which a tool writes its record. It is removed with the object.
class record_file {
public:
    [[nodiscard]] std::string path() const { return (folder_.path() / "record").native(); }
    /// Returns nothing if the tool did not create the file. Throws uncountable if the file cannot be read.
    [[nodiscard]] std::optional<std::string> content() const;
    /// Returns the contents of all files whose names begin with path(), one after the other. A tool writes
    /// several files if it follows several processes. Throws uncountable if a file cannot be read.
    [[nodiscard]] std::string contents() const;

private:
    static constexpr std::size_t bytes_max = std::size_t{4} << 30U;  // enough for 40 million system calls
    temporary_folder folder_;
};

using command_words = std::vector<std::string>;
using variable_map = std::map<std::string, std::string>;

/// The numbers that the malloc counter writes (malloc_counter.cpp), summed over all processes.
struct heap_use {
    double allocations = 0, bytes = 0;
};

/// The error if a tool does not work on this machine, for example because it is not permitted.
class unusable_tool : public uncountable {
public:
    using uncountable::uncountable;
};

/// A file in which the malloc counter of a process and of its descendants counts.
class heap_record {
public:
    /// Throws uncountable if the file cannot be written.
    explicit heap_record(const std::string& counter);

    /// The variables that a process needs so that it loads the counter.
    [[nodiscard]] const variable_map& environment() const { return environment_; }
    /// Returns the sum of at least `runs` programs and of the programs that they start. Returns nothing if
    /// one of the programs was not counted: it is linked statically, or contains its own allocator. Throws
    /// uncountable if the file is damaged.
    [[nodiscard]] std::optional<heap_use> content(double runs = 1) const;

private:
    record_file file_;
    variable_map environment_;
};

}  // namespace loopbench::bench
