#include "bench/catalog/workload_table.hpp"

#include <algorithm>
#include <vector>

#include "bench/catalog/families.hpp"

namespace loopbench::bench {

std::span<const workload_shape> workload_table() {
    static const auto all = [] {
        std::vector<workload_shape> table;
        for_each_family(
            [&]<class family>() { table.insert(table.end(), family::shapes.begin(), family::shapes.end()); });
        for_each_threaded_family([&]<class family>() {
            const auto shapes = family::shapes();
            table.insert(table.end(), shapes.begin(), shapes.end());
        });
        return table;
    }();
    return all;
}

std::span<const workload_info> workload_catalog() {
    static const auto all = [] {
        std::vector<workload_info> catalog;
        const auto add = [&]<class family>() {
            catalog.insert(catalog.end(), family::about.begin(), family::about.end());
        };
        for_each_family(add);
        for_each_threaded_family(add);
        return catalog;
    }();
    return all;
}

const workload_shape* find_shape(std::string_view full_name) {
    const auto table = workload_table();
    const auto found = std::ranges::find(table, full_name, &workload_shape::name);
    return found == table.end() ? nullptr : &*found;
}

bool counts_vary(std::string_view full_name) {
    const workload_shape* const shape = find_shape(full_name);
    return shape != nullptr && shape->threads > 1;
}

pace pace_of(std::string_view full_name) {
    const workload_shape* const shape = find_shape(full_name);
    return shape != nullptr ? shape->paced : pace::its_own;
}

std::string_view why_incomparable(std::string_view full_name, std::string_view metric) {
    switch (pace_of(full_name)) {
        case pace::its_own:
            break;
        case pace::own_load:
            if (metric != capacity_metric)
                return "the load is a percentage of the contender's own capacity, so the contenders got "
                       "different loads";
            break;
        case pace::same_for_all:
            if (metric == "time" || metric == "throughput")
                return "the client's schedule determines the time and the throughput, so they are the same "
                       "for every contender";
            break;
    }
    return {};
}

const workload_info* find_workload(std::string_view full_name) {
    const auto catalog = workload_catalog();
    const auto found = std::ranges::find_if(catalog, [&](const workload_info& info) {
        return full_name.starts_with(info.name) &&
               (full_name.size() == info.name.size() || full_name[info.name.size()] == '/');
    });
    return found == catalog.end() ? nullptr : &*found;
}

bool is_headline_workload(std::string_view full_name) {
    if (const workload_shape* const shape = find_shape(full_name)) return shape->headline;
    return find_workload(full_name) == nullptr;
}

}  // namespace loopbench::bench
