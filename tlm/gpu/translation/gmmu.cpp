// SPDX-License-Identifier: Apache-2.0
#include "gpu/translation/gmmu.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace contraflow::gpu {
namespace {

memory::walk_spec of_a_gpu(memory::walk_spec s, core::sim_time cycle) {
    s.cycle = cycle;
    s.level = memory::stage::gmmu;
    return s;
}

}  // namespace

void gmmu::spec::describe(config::fields<spec>& f) {
    f("walks", &spec::walks).text("its queue and its walkers");
    f("waiting", &spec::waiting)
        .in(1, 65536)
        .unit("requests")
        .text("requests walked for that wait for the IOMMU; no walk begins that could be one more");
    f("forwards", &spec::forwards)
        .in(1, 65536)
        .unit("requests")
        .text("requests handed on to the IOMMU and not answered, at a time");
}

gmmu::gmmu(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s, core::sim_time cycle,
           const memory::radix_table& table, const memory::address_map& map, unsigned gpu,
           memory::translation_server& below)
    : sc_core::sc_module(name),
      events_(shared.events),
      map_(map),
      gpu_(gpu),
      below_(shared.events, *this, this->name(), below),
      forwards_(s.forwards),
      places_(s.waiting),
      here_(shared.statistics, std::string(this->name()) + ".here", "requests",
            "requests answered here, for pages in this GPU's memory"),
      elsewhere_(shared.statistics, std::string(this->name()) + ".elsewhere", "requests",
                 "requests handed on: the page is elsewhere, or there is none"),
      waiting_now_(shared.statistics, std::string(this->name()) + ".waiting_for_iommu", "requests",
                   "requests that were walked for and wait for the IOMMU"),
      walks_(this->name(), shared, of_a_gpu(s.walks, cycle), table, *this) {
    if (s.forwards == 0 || s.waiting == 0)
        throw std::invalid_argument("gmmu: at least one request can wait, and be handed on");
    for (std::uint32_t i = s.forwards; i > 0; --i) free_.push_back(i - 1);
}

gmmu::~gmmu() = default;

void gmmu::walked(memory::translation_request& request) {
    if (request.status == memory::translation_status::translated && map_.contains(request.page.physical_page) &&
        map_.socket_of(request.page.physical_page) == gpu_) {
        ++here_;
        return answer(request, events_.now());
    }
    ++elsewhere_;
    waiting_.push(request);
    count_waiting();
    hand_on();
}

void gmmu::hand_on() {
    bool any = false;
    while (!below_.held_back() && !waiting_.empty() && !free_.empty()) {
        memory::translation_request& above = waiting_.pop();
        const std::uint32_t number = free_.back();
        free_.pop_back();
        forward& f = forwards_[number];
        f.above = &above;
        f.since = events_.now();
        f.question = {};
        f.question.address = above.address;
        f.question.process = above.process;
        f.question.write = above.write;
        f.question.origin = above.origin;
        f.question.above = &above;
        f.question.tag = number;
        f.question.spent_in(memory::stage::gmmu, f.since);
        below_.send(f.question);
        any = true;
    }
    if (!any) return;
    count_waiting();
    walks_.resume();
}

void gmmu::answered(memory::translation_request& request) {
    request.pass(name(), events_.now());
    memory::translation_request& above = *forwards_[request.tag].above;
    above.status = request.status;
    above.page = request.page;
    above.share_hold(request, memory::stage::gmmu);
    free_.push_back(request.tag);
    answer(above, events_.now());
    hand_on();
}

void gmmu::answer(memory::translation_request& request, core::sim_time now) {
    request.spent_in(memory::stage::gmmu, now);
    memory::translation_server::answer(request);
}

bool gmmu::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        free_.clear();
        for (auto i = static_cast<std::uint32_t>(forwards_.size()); i > 0; --i) free_.push_back(i - 1);
        waiting_.clear();
        count_waiting();
        below_.reset();
    }
    return walks_.control(verb);
}

void gmmu::report_waits(std::vector<core::wait_edge>& edges) const {
    walks_.report_waits(edges);
    below_.report_waits(edges);
    if (forwarded() == 0) return;
    std::vector<bool> unused(forwards_.size());
    for (const std::uint32_t i : free_) unused[i] = true;
    core::sim_time since = events_.now();
    for (std::size_t i = 0; i < forwards_.size(); ++i)
        if (!unused[i]) since = std::min(since, forwards_[i].since);
    edges.push_back({name(), fmt::format("answers to {} requests", forwarded()), below_.server_name(), since});
}

}  // namespace contraflow::gpu
