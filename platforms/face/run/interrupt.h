// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM. Before the run begins, nothing is lost: the process ends at once, with the status of a run that
// was stopped. Then the first asks the run to end with partial results, and the second ends the process at once. And
// SIGBUS, by which the system says that a file mapped into memory, as FST waves are, has no room to grow; for any other
// cause it ends the process.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace contraflow::face {

// One at a time: it owns the process's handlers while it lives.
class interrupt {
public:
    // `name` begins the lines on standard error; `before_leaving` runs in another thread, before the second signal ends
    // the process, with the status of a run that was stopped.
    interrupt(std::string name, std::function<void()> before_leaving);
    ~interrupt();
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;

    void run_begins() { running_ = true; }
    // The first signal; 0: none yet. Cheap.
    int signal() const { return signal_.load(std::memory_order_relaxed); }

private:
    void watch();

    std::string name_;
    std::function<void()> before_leaving_;
    std::atomic<bool> running_{false};
    std::atomic<int> signal_{0};
    int read_end_ = -1;
    std::thread watcher_;
};

}  // namespace contraflow::face
