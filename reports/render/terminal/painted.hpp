#pragma once

#include <fmt/color.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/render/terminal/fixed_width.hpp"
#include "reports/render/terminal/screen.hpp"

namespace loopbench::reports {

enum class tone { plain, title, good, bad, caution, note };

class painted {
public:
    explicit painted(colours how) : how_{how} {}

    /// Appends the text. Trailing spaces get no colour, so that finished() can remove them.
    void add(std::string_view text, tone as = tone::plain) {
        width_ += width_of(text);
        const auto end = text.find_last_not_of(' ') + 1;
        bytes_ += how_ == colours::off || as == tone::plain || end == 0
                      ? std::string{text.substr(0, end)}
                      : fmt::format(style_of(as), "{}", text.substr(0, end));
        bytes_ += text.substr(end);
    }
    void pad_to(std::size_t width) {
        if (width > width_) add(std::string(width - width_, ' '));
    }
    [[nodiscard]] std::string line() const { return finished(bytes_); }

private:
    static fmt::text_style style_of(tone as) {
        switch (as) {
            case tone::title:
                return fmt::emphasis::bold;
            case tone::good:
                return fmt::fg(fmt::terminal_color::green);
            case tone::bad:
                return fmt::fg(fmt::terminal_color::red);
            case tone::caution:
                return fmt::fg(fmt::terminal_color::yellow);
            case tone::note:
                return fmt::emphasis::faint;
            case tone::plain:
                break;
        }
        return {};
    }

    colours how_;
    std::string bytes_;
    std::size_t width_ = 0;
};

}  // namespace loopbench::reports
