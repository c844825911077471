// SPDX-License-Identifier: Apache-2.0
#include "host/iommu/shootdown_everywhere.h"

#include <fmt/format.h>

namespace contraflow::host {

shootdown_everywhere::shootdown_everywhere(iommu& first, gpu::multi_gpu& then, observe::statistics& statistics)
    : iommu_(first),
      gpus_(then),
      calls_(then.events(), *this),
      latency_(statistics, "shootdowns.latency", "ns",
               "of shootdowns of pages on all GPUs, from the order to the last acknowledgement") {}

void shootdown_everywhere::shoot_down(const gpu::shootdown& what, core::callback done) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(orders_.size()));
        orders_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    orders_[number] = {what, done, gpus_.events().now(), true, 0};
    iommu_.invalidate(what.range(), then(number, 0));
}

void shootdown_everywhere::acknowledged(std::uint64_t number, unsigned who) {
    order& o = orders_[number];
    if (who == 0) {
        o.missing = (std::uint64_t{2} << (gpus_.gpus() - 1)) - 1;
        const gpu::shootdown what = o.what;
        for (unsigned g = 1; g <= gpus_.gpus(); ++g)
            gpus_.processor(g).shoot_down(what, then(static_cast<std::uint32_t>(number), g));
        return;
    }
    o.missing &= ~(std::uint64_t{1} << (who - 1));
    if (o.missing != 0) return;
    const core::callback done = o.done;
    latency_.add((gpus_.events().now() - o.begun).ps / 1000);
    o.in_use = false;
    free_.push_back(static_cast<std::uint32_t>(number));
    done();
}

void shootdown_everywhere::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const order& o : orders_) {
        if (!o.in_use) continue;
        const std::string what = fmt::format("{:#x} of process {} to be invalidated", o.what.address, o.what.process);
        if (o.missing == 0) edges.push_back({"shootdown", what, iommu_.name(), o.begun});
        for (unsigned g = 1; g <= gpus_.gpus(); ++g)
            if ((o.missing >> (g - 1) & 1) != 0)
                edges.push_back({"shootdown", what, gpus_.processor(g).path(), o.begun});
    }
}

void shootdown_everywhere::reset() {
    orders_.clear();
    free_.clear();
    calls_.cancel();
}

}  // namespace contraflow::host
