// SPDX-License-Identifier: Apache-2.0
// Runs a program as a user would, and keeps what it printed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace contraflow::test {

struct outcome {
    int code = -1;  // exit code; 128 + signal if one killed it
    std::string out, err;
};

// A running program, whose output streams are written to files.
class command {
public:
    // `in_child` runs between fork and exec.
    command(std::vector<std::string> words, const std::filesystem::path& directory,
            const std::function<void()>& in_child = {});
    ~command();
    command(const command&) = delete;
    command& operator=(const command&) = delete;

    pid_t pid() const { return pid_; }
    void send(int signal) const;
    // Waits until it has printed that text, to either stream. False if it has ended without.
    bool wait_for(const std::string& text) const;
    // The text that it has printed to standard error so far.
    std::string errors() const;
    outcome wait();

private:
    std::filesystem::path out_, err_;
    pid_t pid_ = -1;
};

std::string read_file(const std::filesystem::path& file);
// A report.html but for its origin, in which two commands for the same results differ. Throws if it has none.
std::string page_without_origin(const std::filesystem::path& file);

// A directory for one test, removed at its end.
class scratch {
public:
    scratch();
    ~scratch() { std::filesystem::remove_all(path_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    // The sorted names of the files in it.
    std::vector<std::string> names() const;
    void write(const std::string& name, const std::string& content) const;

private:
    std::filesystem::path path_;
};

}  // namespace contraflow::test
