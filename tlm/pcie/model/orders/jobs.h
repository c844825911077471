// SPDX-License-Identifier: Apache-2.0
// Distributes numbered tasks to threads one by one; the calling thread works too.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace contraflow::pcie::model {

// 0 jobs: as many as the machine has cores.
inline unsigned jobs_or_cores(unsigned jobs) {
    return jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

// Each thread calls worker(first task, take) once. take() returns the next task; a number of `tasks` or more means that
// none is left. An exception of a worker is rethrown here, after all workers have ended.
template <class Worker> void run_jobs(unsigned jobs, std::uint64_t tasks, Worker worker) {
    std::atomic<std::uint64_t> next{0};
    const auto take = [&] { return next.fetch_add(1, std::memory_order_relaxed); };
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
        try {
            if (const std::uint64_t first = take(); first < tasks) worker(first, take);
        } catch (...) {
            const std::lock_guard lock(failing);
            failure = std::current_exception();
            next = tasks;
        }
    };
    std::vector<std::thread> threads;
    const std::uint64_t wanted = std::min<std::uint64_t>(jobs_or_cores(jobs), tasks);
    for (std::uint64_t i = 1; i < wanted; ++i) threads.emplace_back(work);
    work();
    for (std::thread& t : threads) t.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace contraflow::pcie::model
