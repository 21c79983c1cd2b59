#include "reports/model/results.hpp"

#include <algorithm>
#include <utility>

namespace loopbench::reports {

std::optional<std::string> context_text(const nlohmann::ordered_json& context, std::string_view key) {
    if (!context.is_object()) return std::nullopt;
    const auto found = context.find(std::string{key});
    if (found == context.end() || !found->is_string()) return std::nullopt;
    auto text = found->get<std::string>();
    if (text.empty()) return std::nullopt;
    return text;
}

const result* find_result(const report& in, std::string_view workload, std::string_view contender,
                          std::string_view metric) {
    const auto found = std::ranges::find_if(in.results, [&](const result& each) {
        return each.workload == workload && each.contender == contender && each.metric == metric;
    });
    return found == in.results.end() ? nullptr : &*found;
}

bool is_disturbed(const report& in, std::string_view workload) {
    const auto& all = in.disturbed.workloads;
    return all && std::ranges::find(*all, workload) != all->end();
}

bool is_floor(const contender& who) {
    return context_text(who.context, "role") == "floor";
}

contender describe(std::string name, nlohmann::ordered_json context) {
    contender described;
    described.name = std::move(name);
    described.library = context_text(context, "library");
    described.version = context_text(context, "library_version");
    described.compiler = context_text(context, "compiler");
    described.flags = context_text(context, "compiler_flags");
    described.socket_options = context_text(context, "socket_options");
    described.context = std::move(context);
    return described;
}

}  // namespace loopbench::reports
