// SPDX-License-Identifier: Apache-2.0
// Latencies of all line requests of a machine and their stages, by kind and by local or remote home. Latency in ns;
// stages as the sum over all requests, in ps.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "gpu/kernel/wave_executor_if.h"
#include "memory/transaction/memory_extension.h"
#include "observe/conservation.h"
#include "observe/histogram.h"

namespace contraflow::gpu {

// Gets every complete request, for traces.
class request_observer_if {
public:
    virtual ~request_observer_if() = default;
    // Asked when a request begins: should each of its stages be recorded?
    virtual bool follows(core::sim_time) { return false; }
    virtual void request_completed(access_kind kind, bool remote, const memory::memory_extension& request) = 0;
    // The same for a line of code, or of a kernel's arguments.
    virtual bool follows_code(core::sim_time) { return false; }
    virtual void code_completed(bool /*arguments*/, const memory::memory_extension&) {}
};

// The sums of one kind, with a row for each stage. They are stored together, because each request adds to all of them.
class stage_times final : public observe::statistic {
public:
    stage_times(observe::statistics& group, std::string path, std::string text)
        : statistic(group, std::move(path), "ps", std::move(text)) {}
    void add(const memory::milestones& m) { m.add_to(spent_); }
    core::sim_time spent(memory::stage s) const { return {spent_[static_cast<std::size_t>(s)]}; }
    void append_rows(core::sim_time end, std::vector<observe::stat_row>& rows) const override;
    void reset(core::sim_time) override { spent_ = {}; }

private:
    std::array<std::uint64_t, memory::stage_count> spent_{};
};

class request_profile {
public:
    request_profile(observe::statistics& statistics, const std::string& path);

    void begun(memory::memory_extension& request) {
        if (observer_ != nullptr && observer_->follows(request.times.begun())) request.times.record();
    }
    void completed(access_kind kind, bool remote, const memory::memory_extension& request) {
        part& p = parts_[index(kind, remote)];
        const core::sim_time total = request.times.total();
        p.latency.add(total.ps / 1000);
        p.stages.add(request.times);
        ++completed_;
        if (total == request.times.last() - request.times.begun()) ++tiled_;
        if (observer_ != nullptr) observer_->request_completed(kind, remote, request);
    }
    // Lines of code and of arguments are not among the latencies: they are nobody's accesses.
    void code_begun(memory::memory_extension& request) {
        if (observer_ != nullptr && observer_->follows_code(request.times.begun())) request.times.record();
    }
    void code_completed(bool arguments, const memory::memory_extension& request) {
        if (observer_ != nullptr) observer_->code_completed(arguments, request);
    }
    void check(observe::conservation& checks) const {
        checks.check("lives of requests and their stages", "requests", completed_, tiled_);
    }
    void set_observer(request_observer_if* observer) { observer_ = observer; }

    std::uint64_t count(access_kind kind, bool remote) const { return parts_[index(kind, remote)].latency.count(); }
    core::sim_time spent(access_kind kind, bool remote, memory::stage s) const {
        return parts_[index(kind, remote)].stages.spent(s);
    }
    const observe::histogram& latency(access_kind kind, bool remote) const {
        return parts_[index(kind, remote)].latency;
    }

private:
    struct part {
        part(observe::statistics& statistics, const std::string& path, const std::string& what);
        observe::histogram latency;
        stage_times stages;
    };
    static std::size_t index(access_kind kind, bool remote) {
        return static_cast<std::size_t>(kind) * 2 + (remote ? 1 : 0);
    }

    std::deque<part> parts_;
    request_observer_if* observer_ = nullptr;
    std::uint64_t completed_ = 0, tiled_ = 0;  // whose stages sum to their life
};

}  // namespace contraflow::gpu
