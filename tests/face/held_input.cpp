// SPDX-License-Identifier: Apache-2.0
#include "face/held_input.h"

#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace contraflow::test {
namespace {

void make_pipe(const std::filesystem::path& at) {
    if (::mkfifo(at.c_str(), 0600) != 0) throw std::runtime_error("no pipe can be made at " + at.string());
}

// Returns when the other end is open.
int open_to_write(const std::filesystem::path& pipe) {
    const int fd = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) throw std::runtime_error("the pipe cannot be opened: " + pipe.string());
    return fd;
}

}  // namespace

held_input::held_input(std::filesystem::path file) : file_(std::move(file)) { make_pipe(file_); }

held_input::~held_input() {
    if (held_ >= 0) ::close(held_);
}

void held_input::give_once(const std::string& text) {
    const int writer = open_to_write(file_);
    const auto written = ::write(writer, text.data(), text.size());
    // Another pipe of that name: the second reader cannot meet this one's end.
    auto next = file_;
    next += ".next";
    make_pipe(next);
    std::filesystem::rename(next, file_);
    ::close(writer);
    if (written != static_cast<ssize_t>(text.size())) throw std::runtime_error("the text does not fit into a pipe");
}

void held_input::wait_for_second_reader() { held_ = open_to_write(file_); }

}  // namespace contraflow::test
