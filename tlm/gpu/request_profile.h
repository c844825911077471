// SPDX-License-Identifier: Apache-2.0
// What became of the line requests of a whole machine: latency and where it was spent, by kind and by whether the
// home is another socket's memory. Latency in ns; stages as the sum over all requests, in ps.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "gpu/wave_access.h"
#include "memory/memory_extension.h"
#include "observe/counter.h"
#include "observe/histogram.h"

namespace contraflow::gpu {

// Is shown every request when it is complete, for traces.
class request_observer_if {
public:
    virtual ~request_observer_if() = default;
    virtual void request_completed(access_kind kind, bool remote, const memory::memory_extension& request) = 0;
};

class request_profile {
public:
    request_profile(observe::statistics& statistics, const std::string& path);

    void completed(access_kind kind, bool remote, const memory::memory_extension& request) {
        part& p = parts_[index(kind, remote)];
        p.latency.add(request.times.total().ps / 1000);
        for (std::size_t s = 0; s < memory::stage_count; ++s)
            p.stages[s] += request.times.spent(static_cast<memory::stage>(s)).ps;
        if (observer_ != nullptr) observer_->request_completed(kind, remote, request);
    }
    void set_observer(request_observer_if* observer) { observer_ = observer; }

    std::uint64_t count(access_kind kind, bool remote) const { return parts_[index(kind, remote)].latency.count(); }
    core::sim_time spent(access_kind kind, bool remote, memory::stage s) const {
        return {parts_[index(kind, remote)].stages[static_cast<std::size_t>(s)].value()};
    }
    const observe::histogram& latency(access_kind kind, bool remote) const {
        return parts_[index(kind, remote)].latency;
    }

private:
    struct part {
        part(observe::statistics& statistics, const std::string& path, const std::string& what);
        observe::histogram latency;
        std::deque<observe::counter> stages;
    };
    static std::size_t index(access_kind kind, bool remote) {
        return static_cast<std::size_t>(kind) * 2 + (remote ? 1 : 0);
    }

    std::deque<part> parts_;
    request_observer_if* observer_ = nullptr;
};

}  // namespace contraflow::gpu
