// The fields of used_cores in reports and in journals.
#pragma once

#include <tuple>

#include "reports/base/json_fields.hpp"
#include "reports/model/used_cores.hpp"

namespace loopbench::reports {

constexpr auto fields_of(const used_cores*) {
    return std::tuple(field{"threads", &used_cores::threads}, field{"generator", &used_cores::generator});
}

}  // namespace loopbench::reports
