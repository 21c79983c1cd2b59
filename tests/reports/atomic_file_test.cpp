// Tests that a file has either its complete old or its complete new contents, and that no temporary file
// remains.
#include "reports/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <thread>

#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;
using reports::write_file_atomically;

std::string complaint(const std::function<void()>& call) {
    return complaint_of<reports::file_error>(call);
}

TEST(atomic_file, creating_and_replacing_a_file_leaves_no_temporary_file) {
    const temporary_folder folder;
    write_file_atomically(folder / "report", "old");
    write_file_atomically(folder / "report", "new");
    EXPECT_EQ(content_of(folder / "report"), "new");
    EXPECT_EQ(folder.files(), 1U);
}

TEST(atomic_file, a_hard_link_to_the_old_file_keeps_the_old_content) {
    const temporary_folder folder;
    write_file_atomically(folder / "report", "old");
    fs::create_hard_link(folder / "report", folder / "link");
    write_file_atomically(folder / "report", "new");
    EXPECT_EQ(content_of(folder / "link"), "old");
}

TEST(atomic_file, replacing_a_file_through_a_symbolic_link_keeps_the_link) {
    const temporary_folder folder;
    write_file_atomically(folder / "report", "old");
    fs::create_symlink("report", folder / "link");
    write_file_atomically(folder / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(content_of(folder / "report"), "new");
}

TEST(atomic_file, writing_to_a_dangling_symbolic_link_creates_its_target) {
    const temporary_folder folder;
    fs::create_directory(folder / "far");
    fs::create_symlink("far/second", folder / "first");
    fs::create_symlink((folder / "far/report").native(), folder / "far/second");
    write_file_atomically(folder / "first", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "first"));
    EXPECT_TRUE(fs::is_symlink(folder / "far/second"));
    EXPECT_EQ(content_of(folder / "far/report"), "new");
    fs::create_symlink("circle", folder / "circle");
    EXPECT_SAYS(complaint([&] { write_file_atomically(folder / "circle", "new"); }), "circle: Too many");
    fs::create_symlink("/nowhere/at/all", folder / "lost");
    const auto said = complaint([&] { write_file_atomically(folder / "lost", "new"); });
    EXPECT_SAYS(said, "/lost, a link to /nowhere/at/all: ");
}

TEST(atomic_file, the_umask_applies_to_a_written_file) {
    const temporary_folder folder;
    const auto old_mask = ::umask(0027);
    write_file_atomically(folder / "report", "new");
    ::umask(old_mask);
    struct stat about {};
    ASSERT_EQ(::stat((folder / "report").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0640U);
}

TEST(atomic_file, writing_to_a_pipe_does_not_replace_the_pipe) {
    const temporary_folder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    const reports::unique_fd reader{::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    write_file_atomically(folder / "pipe", "new");
    std::array<char, 16> got{};
    EXPECT_EQ(::read(reader.get(), got.data(), got.size()), 3);
    EXPECT_STREQ(got.data(), "new");
    EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
}

TEST(atomic_file, writing_to_a_pipe_without_a_reader_fails_immediately) {
    const temporary_folder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    const auto text = complaint([&] { write_file_atomically(folder / "pipe", "new"); });
    EXPECT_SAYS(text, "pipe: no program reads from this pipe");
}

TEST(atomic_file, no_file_of_a_group_is_replaced_if_one_of_the_files_cannot_be_written) {
    const temporary_folder folder;
    write_file_atomically(folder / "a", "old");
    const std::array files{reports::new_file{folder / "a", "new"}, reports::new_file{"/dev/full", "new"}};
    const auto text = complaint([&] { reports::write_files_atomically(files); });
    EXPECT_SAYS(text, "/dev/full: No space left on device");
    EXPECT_EQ(content_of(folder / "a"), "old");
    EXPECT_EQ(folder.files(), 1U);
}

TEST(atomic_file, writing_a_file_to_the_path_of_a_folder_causes_an_error_that_names_the_folder) {
    const temporary_folder folder;
    const auto text = complaint([&] { write_file_atomically(folder.path(), "new"); });
    EXPECT_SAYS(text, folder.path().native() + ": Is a directory");
    EXPECT_EQ(folder.files(), 0U);
}

TEST(atomic_file, writing_into_a_missing_folder_causes_an_error_that_names_the_file) {
    const temporary_folder folder;
    const auto text = complaint([&] { write_file_atomically(folder / "no/report", "new"); });
    EXPECT_SAYS(text, "no/report: No such file or directory");
}

TEST(atomic_file, a_temporary_file_is_removed_only_if_the_process_that_wrote_it_has_ended) {
    const temporary_folder folder;
    const std::string ended = "report.2147483647-0.tmp";
    const std::string myself = "report." + std::to_string(::getpid()) + "-9.tmp";
    for (const auto& name : {ended, myself, std::string{"report.2147483647-0.tmp.tmp"},
                             std::string{"report.note.tmp"}, std::string{"other.2147483647-0.tmp"}})
        write_file_atomically(folder / name, "left");
    write_file_atomically(folder / "report", "new");
    EXPECT_FALSE(fs::exists(folder / ended));
    EXPECT_EQ(folder.files(), 5U);
}

TEST(read_file, a_file_that_is_larger_than_the_limit_is_refused_with_a_remedy) {
    const temporary_folder folder;
    write_file_atomically(folder / "report", "12345678");
    EXPECT_EQ(reports::read_file((folder / "report").native(), 8), "12345678");
    const auto text = complaint([&] { reports::read_file((folder / "report").native(), 7); });
    EXPECT_TRUE(text.starts_with("cannot read " + (folder / "report").native() + ": the file has 8 bytes"))
        << text;
    EXPECT_SAYS(text, "7 bytes");
    EXPECT_SAYS(text, "--blocks");
    EXPECT_SAYS(complaint([] { reports::read_file_or_pipe("/dev/zero", 1'000'000); }),
                "the file is longer than the limit");
}

TEST(read_file, pipes_devices_and_folders_are_refused_without_waiting) {
    const temporary_folder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_symlink("pipe", folder / "link");
    for (const auto* name : {"pipe", "link"}) {
        const auto text = complaint([&] { reports::read_file((folder / name).native()); });
        EXPECT_SAYS(text, std::string{name} + ": it is a pipe; name a regular file");
    }
    EXPECT_SAYS(complaint([] { reports::read_file("/dev/null"); }), "it is a device");
    EXPECT_SAYS(complaint([&] { reports::read_file(folder.path().native()); }), "Is a directory");
    const auto text = complaint([&] { reports::read_file_or_pipe((folder / "pipe").native()); });
    EXPECT_SAYS(text, "pipe is empty");
}

TEST(read_file, a_pipe_is_read_to_its_end_if_pipes_are_allowed) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const reports::unique_fd out{ends[0]};
    std::thread writer{[in = reports::unique_fd{ends[1]}] {
        for (int i = 0; i < 40; ++i) reports::write_all(in.get(), std::string(10'000, 'x'), "the pipe");
    }};
    EXPECT_EQ(reports::read_file_or_pipe(fmt::format("/dev/fd/{}", out.get())).size(), 400'000U);
    writer.join();
}

TEST(read_file, a_huge_file_is_refused_before_it_is_read) {
    const temporary_folder folder;
    write_file_atomically(folder / "report", "{");
    fs::resize_file(folder / "report", std::uintmax_t{1} << 40U);
    EXPECT_SAYS(complaint([&] { reports::read_file((folder / "report").native()); }),
                "the file has 1099511627776 bytes");
}

TEST(output_folder, an_output_folder_is_created_with_its_parents_and_left_empty) {
    const temporary_folder folder;
    reports::prepare_output_folder(folder / "a/b");
    EXPECT_TRUE(fs::is_empty(folder / "a/b"));
}

TEST(output_folder, an_output_folder_inside_a_regular_file_causes_an_error_with_cause_and_remedy) {
    const temporary_folder folder;
    write_file_atomically(folder / "file", "");
    const auto text = complaint([&] { reports::prepare_output_folder(folder / "file/out"); });
    EXPECT_SAYS(text, "file/out: Not a directory; choose another place with -o");
    EXPECT_SAYS(complaint([&] { reports::prepare_output_folder(folder / "file"); }), "Not a directory");
}

TEST(output_folder, an_output_folder_that_accepts_no_files_causes_an_error) {
    const auto text = complaint([] { reports::prepare_output_folder("/proc/self"); });
    EXPECT_TRUE(text.starts_with("cannot create /proc/self/probe: ")) << text;
    // The kernel's version determines which of the two errors occurs.
    EXPECT_TRUE(text.find("No such file or directory") != std::string::npos ||
                text.find("Permission denied") != std::string::npos)
        << text;
}

}  // namespace

}  // namespace loopbench::tests
