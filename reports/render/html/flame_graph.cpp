#include "reports/render/html/flame_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "reports/render/causes.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/html/markup.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::reports {

namespace {

constexpr double graph_width = 1200, row_height = 18, character_width = 6.7, narrowest_box = 4;
constexpr std::size_t rows_max = 60, frames_max = 200;

struct box {
    double before = 0, after = 0;          // ns per operation, with the called functions
    double own_before = 0, own_after = 0;  // without them
    std::map<std::string, box, std::less<>> called;
};

/// Adds the outermost functions of the stack. At most 200 functions of a stack are kept, because the
/// recursion of this file would otherwise overflow the memory of the thread.
void add(box& root, const profiled_stack& from) {
    root.before += from.before_ns;
    root.after += from.after_ns;
    auto* at = &root;
    std::size_t frames = 0;
    for (std::string_view rest = from.stack; !rest.empty() && frames < frames_max; ++frames) {
        const auto end = std::min(rest.find(';'), rest.size());
        at = &at->called[std::string{rest.substr(0, end)}];
        at->before += from.before_ns;
        at->after += from.after_ns;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    at->own_before += from.before_ns;
    at->own_after += from.after_ns;
}

/// Returns the box whose called functions are shown. The picture leaves out the functions between main() and
/// the benchmark. It begins two callers above the innermost function that has at least 95 % of the time in
/// both builds.
const box& interesting_part(const box& root) {
    constexpr double nearly_all = 0.95;
    constexpr std::size_t shown_callers = 2;
    std::vector<const box*> path{&root};
    for (;;) {
        const auto& called = path.back()->called;
        const auto next = std::ranges::find_if(called, [&](const auto& each) {
            return each.second.before >= nearly_all * root.before &&
                   each.second.after >= nearly_all * root.after;
        });
        if (next == called.end()) break;
        path.push_back(&next->second);
    }
    return *path[path.size() - std::min(path.size(), shown_callers + 1)];
}

std::size_t rows_of(const box& of, double ns_per_unit) {
    std::size_t most = 0;
    for (const auto& [name, inner] : of.called)
        if (inner.after / ns_per_unit >= narrowest_box)
            most = std::max(most, 1 + rows_of(inner, ns_per_unit));
    return std::min(most, rows_max);
}

/// Returns the class of a box whose own time changed by this share of the whole time.
std::string class_of(double change) {
    constexpr std::array steps{0.005, 0.05, 0.2};
    const auto strength = std::ranges::count_if(steps, [&](double step) { return std::abs(change) >= step; });
    return strength == 0 ? "same" : fmt::format("{}-{}", change > 0 ? "grew" : "shrank", strength);
}

std::string_view mark_of(double change) {
    constexpr double clear = 0.05;
    return change >= clear ? "▼ " : change <= -clear ? "▲ " : "";
}

/// Returns the name without "(anonymous namespace)::", which would fill the narrow boxes.
std::string short_name(std::string name) {
    constexpr std::string_view anonymous = "(anonymous namespace)::";
    for (auto at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous))
        name.erase(at, anonymous.size());
    return name;
}

class drawing {
public:
    explicit drawing(const box& shown)
        : ns_per_unit_{shown.after / graph_width},
          whole_{std::max(shown.before, shown.after)},
          rows_{rows_of(shown, ns_per_unit_)} {
        draw_inside(shown, 0, 0);
    }

    [[nodiscard]] double height() const { return row_height * static_cast<double>(rows_); }
    [[nodiscard]] const std::string& boxes() const { return boxes_; }

private:
    double ns_per_unit_, whole_;
    std::size_t rows_;
    std::string boxes_;

    void draw_inside(const box& of, double x, std::size_t row) {
        if (row >= rows_) return;
        for (const auto& [name, inner] : of.called) {
            const double width = inner.after / ns_per_unit_;
            if (width < narrowest_box) continue;
            draw(name, inner, x, row);
            draw_inside(inner, x, row + 1);
            x += width;
        }
    }

    void draw(const std::string& name, const box& of, double x, std::size_t row) {
        const double width = of.after / ns_per_unit_,
                     y = height() - row_height * static_cast<double>(row + 1);
        const double change = (of.own_after - of.own_before) / whole_;
        const auto room = static_cast<std::size_t>(std::max(0.0, (width - 6) / character_width));
        const auto label = clipped(fmt::format("{}{}", mark_of(change), printable(short_name(name))), room);
        constexpr std::size_t shortest_label = 4;
        fmt::format_to(std::back_inserter(boxes_),
                       "<g class=\"{}\"><title>{}</title><rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" "
                       "height=\"{:.0f}\"/>",
                       class_of(change), in_markup(hint(name, of)), x, y, width, row_height - 1);
        if (room >= shortest_label)
            fmt::format_to(std::back_inserter(boxes_), "<text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>", x + 3,
                           y + row_height - 5, in_markup(label));
        boxes_ += "</g>\n";
    }

    [[nodiscard]] std::string hint(const std::string& name, const box& of) const {
        return fmt::format("{}: {} ({}), before {}; own code {}", name, human_time(of.after),
                           share_text(of.after / (ns_per_unit_ * graph_width)), human_time(of.before),
                           more_time_text(of.own_after - of.own_before));
    }
};

}  // namespace

std::string flame_graph(const profile& of, std::string_view id, std::string_view title) {
    box root;
    for (const auto& each : of.stacks) add(root, each);
    if (!(root.after > 0)) return {};
    const drawing drawn{interesting_part(root)};
    return fmt::format(
        "<div class=\"flame scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">"
        "<svg viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" aria-labelledby=\"{3}-title {3}-text\">\n"
        "<title id=\"{3}-title\">{0}</title>\n"
        "<desc id=\"{3}-text\">Each box is a function above its caller. Its width is its time in the new "
        "build. The table contains the functions whose own code takes longer.</desc>\n{4}</svg></div>\n",
        in_markup(title), graph_width, drawn.height(), id, drawn.boxes());
}

}  // namespace loopbench::reports
