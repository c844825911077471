// SPDX-License-Identifier: Apache-2.0
#include "sweep/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace contraflow::sweep {
namespace {

struct channel {
    int read_end = -1, write_end = -1;
    channel() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
        read_end = ends[0];
        write_end = ends[1];
    }
    ~channel() {
        ::close(read_end);
        close_write_end();
    }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    void close_write_end() {
        if (write_end >= 0) ::close(write_end);
        write_end = -1;
    }
};

// Reads both pipes at once: a program that fills one pipe while we wait at the other would never end.
void read_all(const channel& out, const channel& err, child_result& into) {
    std::array<pollfd, 2> open{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
    const std::array<std::string*, 2> texts{&into.out, &into.err};
    std::array<char, 8192> block;
    while (open[0].fd >= 0 || open[1].fd >= 0) {
        if (::poll(open.data(), open.size(), -1) < 0 && errno != EINTR) return;
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (open[i].fd < 0 || open[i].revents == 0) continue;
            const ssize_t got = ::read(open[i].fd, block.data(), block.size());
            if (got > 0) texts[i]->append(block.data(), static_cast<std::size_t>(got));
            if (got == 0 || (got < 0 && errno != EINTR)) open[i].fd = -1;
        }
    }
}

}  // namespace

int exit_status(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

child_result run_child(const std::vector<std::string>& words, const std::filesystem::path& directory) {
    channel out, err;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int s : {SIGPIPE, SIGXFSZ}) sigaddset(&usual, s);  // ignored by this process
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t child = -1;
    const int failure = ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) return {127, {}, words[0] + ": " + std::strerror(failure) + "\n"};

    out.close_write_end();
    err.close_write_end();
    child_result result;
    read_all(out, err, result);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    result.status = exit_status(status);
    return result;
}

std::string shell_quoted(const std::string& word) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace contraflow::sweep
