// The outline of a file is enough to recognise its format, even if the file is cut or invalid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

class outline {
public:
    /// Refers to `text`. Looks for the first JSON object, and collects its keys. Stops at the key "schema",
    /// which marks loopbench's own files.
    explicit outline(std::string_view text);

    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] bool has_key(std::string_view key) const;
    /// Returns true if the text contains `part` anywhere.
    [[nodiscard]] bool contains(std::string_view part) const {
        return text_.find(part) != std::string_view::npos;
    }

private:
    std::string_view text_;
    std::vector<std::string_view> keys_;
};

}  // namespace loopbench::bench
