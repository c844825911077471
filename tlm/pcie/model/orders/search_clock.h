// SPDX-License-Identifier: Apache-2.0
// Decides whether a search may go on. Any thread may ask; the calling thread decides, at most every 50 ms.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "pcie/model/orders/order_search.h"

namespace contraflow::pcie::model {

class search_clock {
public:
    explicit search_clock(const search_options& options) : options_(options) {}

    // The calling thread's share of finished work is taken for all threads.
    bool go_on(double done) {
        if (std::this_thread::get_id() != caller_) return !stopped_;
        const auto now = std::chrono::steady_clock::now();
        if (stopped_ || now - last_ < std::chrono::milliseconds(50)) return !stopped_;
        last_ = now;
        const bool late =
            options_.wall_s > 0.0 && std::chrono::duration<double>(now - begin_).count() > options_.wall_s;
        if (late || (options_.progress && !options_.progress(done))) stopped_ = true;
        return !stopped_;
    }
    bool stopped() const { return stopped_; }

private:
    const search_options& options_;
    const std::thread::id caller_ = std::this_thread::get_id();
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_ = begin_;
    std::atomic<bool> stopped_{false};
};

}  // namespace contraflow::pcie::model
