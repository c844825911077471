// SPDX-License-Identifier: Apache-2.0
#include "face/run/run_directory.h"

#include <optional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.h"
#include "face/command_line/errors.h"
#include "face/run/sha256.h"

namespace face = contraflow::face;
namespace test = contraflow::test;
namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

std::string manifest_listing(const std::string& files) {
    return R"({"schema": "contraflow-manifest/1", "files": [)" + files + "]}";
}

// Publishes a run with one file in it.
void publish(const fs::path& wanted, const std::string& content, bool force = false) {
    face::run_directory run(wanted, force);
    face::write_file(run.path() / "result", content);
    face::write_file(run.path() / face::manifest_name, manifest_listing("\"result\""));
    run.publish();
}

std::string refusal(const fs::path& wanted, bool force = false) {
    try {
        face::run_directory run(wanted, force);
    } catch (const face::usage_error& error) { return error.what(); }
    return "";
}

// The pid of a process that has ended.
pid_t dead_pid() {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    ::waitpid(pid, nullptr, 0);
    return pid;
}

}  // namespace

TEST(run_directory, appears_under_its_name_only_when_published) {
    const test::scratch dir;
    face::run_directory run(dir / "run", false);
    EXPECT_THAT(dir.names(), ElementsAre("run.partial-" + std::to_string(::getpid())));
    face::write_file(run.path() / "b", "1");
    fs::create_directory(run.path() / "a");
    face::write_file(run.path() / "a" / "c", "1");
    EXPECT_THAT(run.files(), ElementsAre("a/c", "b", "manifest.json"));
    run.publish();
    EXPECT_THAT(dir.names(), ElementsAre("run"));
    EXPECT_EQ(test::read_file(dir / "run" / "b"), "1");
}

TEST(run_directory, unpublished_leaves_nothing_not_even_parents_it_made) {
    const test::scratch dir;
    { const face::run_directory run(dir / "a/b/run", false); }
    EXPECT_THAT(dir.names(), IsEmpty());
    publish(dir / "a/b/run/", "1");  // a slash at the end does not change the name
    EXPECT_EQ(test::read_file(dir / "a/b/run/result"), "1");
}

TEST(run_directory, replaces_an_earlier_run_and_an_empty_directory) {
    const test::scratch dir;
    fs::create_directory(dir / "run");
    publish(dir / "run", "first");
    publish(dir / "run", "second");
    EXPECT_EQ(test::read_file(dir / "run" / "result"), "second");
    EXPECT_THAT(dir.names(), ElementsAre("run"));
}

TEST(run_directory, refuses_what_no_run_wrote) {
    const test::scratch dir;
    dir.write("other/thesis.tex", "years of work");
    EXPECT_THAT(refusal(dir / "other"), HasSubstr("is not a run directory"));
    dir.write("fake/manifest.json", R"({"schema": "something else"})");
    EXPECT_THAT(refusal(dir / "fake"), HasSubstr("is not a run directory"));
    dir.write("broken/manifest.json", "{");
    EXPECT_THAT(refusal(dir / "broken"), HasSubstr("is not a run directory"));
    dir.write("file", "");
    EXPECT_THAT(refusal(dir / "file"), HasSubstr("not a directory"));
    EXPECT_THAT(refusal(dir / "file", true), HasSubstr("not a directory"));
    EXPECT_THAT(refusal("."), HasSubstr("is where this command runs"));
    EXPECT_THAT(refusal("/"), HasSubstr("name a directory"));
}

TEST(run_directory, refuses_a_run_to_which_something_was_added) {
    const test::scratch dir;
    publish(dir / "run", "1");
    dir.write("run/notes.txt", "mine");
    EXPECT_THAT(refusal(dir / "run"), HasSubstr("it holds 'notes.txt', which no run wrote"));
    EXPECT_EQ(test::read_file(dir / "run/notes.txt"), "mine");
}

TEST(run_directory, force_keeps_the_old_directory_under_another_name) {
    const test::scratch dir;
    dir.write("run/thesis.tex", "years of work");
    dir.write("run.old-1/x", "");
    publish(dir / "run", "new", true);
    EXPECT_THAT(dir.names(), ElementsAre("run", "run.old-1", "run.old-2"));
    EXPECT_EQ(test::read_file(dir / "run.old-2/thesis.tex"), "years of work");
    EXPECT_EQ(test::read_file(dir / "run/result"), "new");
}

TEST(run_directory, does_not_delete_what_appears_during_the_run) {
    const test::scratch dir;
    face::run_directory run(dir / "run", false);
    dir.write("run/thesis.tex", "years of work");
    EXPECT_THROW(run.publish(), face::output_error);
    run.discard();
    EXPECT_THAT(dir.names(), ElementsAre("run"));
    EXPECT_EQ(test::read_file(dir / "run/thesis.tex"), "years of work");
}

TEST(run_directory, follows_a_link_instead_of_replacing_it) {
    const test::scratch dir;
    publish(dir / "real", "1");
    fs::create_directory_symlink(dir / "real", dir / "link");
    publish(dir / "link", "2");
    EXPECT_TRUE(fs::is_symlink(dir / "link"));
    EXPECT_EQ(test::read_file(dir / "real/result"), "2");
}

TEST(run_directory, clears_away_what_dead_runs_left_and_nothing_else) {
    const test::scratch dir;
    const std::string dead = std::to_string(dead_pid());
    dir.write("run.partial-" + dead + "/manifest.json", manifest_listing(""));
    dir.write("run.partial-" + dead + "x/manifest.json", manifest_listing(""));
    dir.write("other.partial-" + dead + "/manifest.json", manifest_listing(""));
    const std::string second = std::to_string(dead_pid());
    dir.write("run.partial-" + second + "/thesis.tex", "years of work");
    dir.write("run.partial-1/manifest.json", manifest_listing(""));  // the process with pid 1 is alive
    publish(dir / "run", "1");
    std::vector<std::string> expected{"other.partial-" + dead, "run", "run.partial-1", "run.partial-" + dead + "x",
                                      "run.partial-" + second};
    EXPECT_THAT(dir.names(), ::testing::UnorderedElementsAreArray(expected));
}

TEST(run_directory, is_refused_while_another_run_fills_it) {
    const test::scratch dir;
    {
        face::run_directory first(dir / "run", false);
        const std::string why = refusal(dir / "run");
        EXPECT_THAT(why, HasSubstr("a run of process " + std::to_string(::getpid()) + " is filling it"));
        EXPECT_EQ(refusal(dir / "run", true), why) << "--force does not help";
        EXPECT_EQ(refusal(dir / "other"), "");
        face::write_file(first.path() / "result", "first");
        face::write_file(first.path() / face::manifest_name, manifest_listing("\"result\""));
        first.publish();
    }
    EXPECT_EQ(test::read_file(dir / "run/result"), "first");
    publish(dir / "run", "second");
    EXPECT_EQ(test::read_file(dir / "run/result"), "second");
}

TEST(run_directory, a_run_in_another_process_has_it_until_it_ends) {
    const test::scratch dir;
    int ready[2], done[2];
    ASSERT_EQ(::pipe(ready) | ::pipe(done), 0);
    const pid_t other = ::fork();
    if (other == 0) {
        ::close(done[1]);
        const face::run_directory run(dir / "run", false);
        char c = 'r';
        (void)!::write(ready[1], &c, 1);
        (void)!::read(done[0], &c, 1);  // until the end of the file
        ::_exit(0);                     // as a killed run: it leaves its partial directory
    }
    ::close(done[0]);
    char c = 0;
    EXPECT_EQ(::read(ready[0], &c, 1), 1);
    EXPECT_THAT(refusal(dir / "run"), HasSubstr("a run of process " + std::to_string(other) + " is filling it"));
    ::close(done[1]);
    ::waitpid(other, nullptr, 0);
    publish(dir / "run", "mine");
    EXPECT_THAT(dir.names(), ElementsAre("run"));
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST(run_directory, replacing_works_with_and_without_an_exchange_of_names) {
    for (const bool exchange : {true, false}) {
        const test::scratch dir;
        dir.write("from/x", "new");
        dir.write("to/x", "old");
        dir.write("to/y", "old");
        face::replace_directory(dir / "from", dir / "to", exchange);
        EXPECT_THAT(dir.names(), ElementsAre("to"));
        EXPECT_EQ(test::read_file(dir / "to/x"), "new");
        EXPECT_FALSE(fs::exists(dir / "to/y"));
    }
}

TEST(run_directory, a_replacement_that_fails_restores_the_old) {
    const test::scratch dir;
    dir.write("to/x", "old");
    EXPECT_THROW(face::replace_directory(dir / "missing", dir / "to", true), face::output_error);
    EXPECT_THAT(dir.names(), ElementsAre("to"));
    EXPECT_EQ(test::read_file(dir / "to/x"), "old");
}

TEST(run_directory, a_write_that_fails_names_the_file_and_the_reason) {
    try {
        face::write_file("/dev/full", "x");
        FAIL();
    } catch (const face::output_error& error) {
        EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
    }
    EXPECT_THROW(face::write_file("/nowhere/x", "x"), face::output_error);
}

// FIPS 180-4's examples (CSRC "Examples with Intermediate Values").
TEST(sha256, gives_the_published_digests) {
    EXPECT_EQ(face::sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(face::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(face::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(face::sha256(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256, of_a_file_is_that_of_its_content) {
    const test::scratch dir;
    for (const std::size_t size : {std::size_t{0}, std::size_t{65'536}, std::size_t{200'001}}) {
        dir.write("f", std::string(size, 'q'));
        EXPECT_EQ(face::sha256_of_file(dir / "f"), face::sha256(std::string(size, 'q'))) << size;
    }
    EXPECT_EQ(face::sha256_of_file(dir / "missing"), "");
    EXPECT_EQ(face::sha256_of_file(dir.path()), "");
}
