#include "bench/harness/trial/asio_use.hpp"

#include <link.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

/// Returns the bytes of the note in dropin.hpp.
std::string dropin_note() {
    constexpr std::string_view padded_name{"loopbench\0\0\0", 12};
    const ElfW(Nhdr) header{.n_namesz = 10, .n_descsz = 0, .n_type = 1};
    std::string note(sizeof header, '\0');
    std::memcpy(note.data(), &header, sizeof header);
    return note.append(padded_name);
}

std::string bytes_at(std::ifstream& file, std::uint64_t offset, std::size_t count) {
    std::string bytes(count, '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

template <class Struct>
std::optional<Struct> struct_at(std::ifstream& file, std::uint64_t offset) {
    const auto bytes = bytes_at(file, offset, sizeof(Struct));
    if (bytes.size() < sizeof(Struct)) return std::nullopt;
    Struct found;
    std::memcpy(&found, bytes.data(), sizeof found);
    return found;
}

bool is_name_of_loop(std::string_view word) {
    constexpr std::size_t longest = 32;
    const auto fits = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
    return !word.empty() && word.size() <= longest && std::ranges::all_of(word, fits);
}

/// Takes a line of the form "LOOP PROCESS" or "LOOP PROCESS REASON".
void take_line(asio_contexts& to, std::string_view line) {
    const auto name = line.substr(0, line.find(' '));
    if (name.size() == line.size() || !is_name_of_loop(name)) return;
    const auto reason_at = line.find(' ', name.size() + 1);
    if (reason_at == std::string_view::npos) {
        if (std::ranges::find(to.loops, name) == to.loops.end()) to.loops.emplace_back(name);
    } else if (!to.failure) {
        to.failure = reports::valid_utf8(line.substr(reason_at + 1));
    }
}

}  // namespace

bool has_dropin_note(const fs::path& program) {
    std::error_code unreadable;
    const auto status = fs::status(program, unreadable);
    constexpr auto records_nothing = fs::perms::set_uid | fs::perms::set_gid;  // context_record.hpp
    if (!fs::is_regular_file(status) || (status.permissions() & records_nothing) != fs::perms::none)
        return false;
    std::ifstream file{program, std::ios::binary};
    const auto header = struct_at<ElfW(Ehdr)>(file, 0);
    constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != own_class || header->e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    const auto note = dropin_note();
    constexpr std::uint64_t notes_bytes_max = std::uint64_t{1} << 20U;
    for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
        const auto segment = struct_at<ElfW(Phdr)>(file, header->e_phoff + i * sizeof(ElfW(Phdr)));
        if (!segment) return false;
        if (segment->p_type != PT_NOTE) continue;
        // Searches for the bytes of the note. A walk from note to note would need their alignment, and
        // linkers put notes with alignments of 4 and of 8 bytes into one segment.
        const auto bytes = std::min<std::uint64_t>(segment->p_filesz, notes_bytes_max);
        if (bytes_at(file, segment->p_offset, bytes).find(note) != std::string::npos) return true;
    }
    return false;
}

asio_contexts read_asio_contexts(const fs::path& file) {
    constexpr std::size_t bytes_max = std::size_t{16} << 20U;
    asio_contexts found;
    try {
        const auto text = reports::read_regular_file(file.native(), bytes_max);
        std::string_view rest = text ? std::string_view{*text} : std::string_view{};
        while (!rest.empty()) {
            const auto end = std::min(rest.find('\n'), rest.size());
            take_line(found, rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    } catch (const reports::file_error&) {
        return {};
    }
    return found;
}

}  // namespace loopbench::bench
