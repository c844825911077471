// SPDX-License-Identifier: Apache-2.0
#include "face/run/interrupt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "face/command_line/errors.h"

namespace contraflow::face {
namespace {

constexpr std::array handled{SIGINT, SIGTERM, SIGBUS};

// A signal handler may do very little: it passes the signal's number to a thread, which may do anything.
volatile std::sig_atomic_t write_end = -1;

void tell(int signal) {
    const int saved = errno;
    const char byte = static_cast<char>(signal);
    [[maybe_unused]] const ssize_t written = ::write(write_end, &byte, 1);
    errno = saved;
}

extern "C" void pass_on(int signal, siginfo_t* why, void*) {
    // What has another cause, as an address that is not aligned, ends the process as if nobody handled it: the signal
    // comes again when this returns.
    if (signal == SIGBUS && why->si_code != BUS_ADRERR) {
        std::signal(SIGBUS, SIG_DFL);
        ::raise(SIGBUS);
        return;
    }
    tell(signal);
    // A file that is mapped into memory could not grow. The thread ends the process; what was interrupted cannot go on.
    while (signal == SIGBUS) ::pause();
}

}  // namespace

interrupt::interrupt(std::string name, std::function<void()> before_leaving)
    : name_(std::move(name)),
      before_leaving_(std::move(before_leaving)) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    read_end_ = ends[0];
    write_end = ends[1];
    watcher_ = std::thread([this] { watch(); });
    // The handler is set even if the signal was ignored, as in a script's background job: a sender means this program.
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    for (const int s : handled) ::sigaction(s, &action, nullptr);
}

interrupt::~interrupt() {
    for (const int s : handled) std::signal(s, SIG_DFL);
    tell(0);
    watcher_.join();
    ::close(read_end_);
    ::close(write_end);
    write_end = -1;
}

void interrupt::watch() {
    char byte = 0;
    while (::read(read_end_, &byte, 1) == 1 && byte != 0) {
        if (byte == SIGBUS) {
            const std::string line = name_ + ": error: a file cannot be written: No space left on device\n";
            [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
            before_leaving_();
            ::_exit(exit_internal);
        }
        if (!running_) {
            const std::string line = name_ + ": stopped before the run began\n";
            [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
            ::_exit(exit_stopped);
        }
        if (signal() != 0) {
            before_leaving_();
            ::_exit(exit_stopped);
        }
        signal_.store(byte, std::memory_order_relaxed);
        const std::string line = name_ + ": stopping with partial results; once more to leave at once\n";
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    }
}

}  // namespace contraflow::face
