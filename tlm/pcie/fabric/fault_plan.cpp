// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/fault_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pcie/link/link_rate.h"

namespace contraflow::pcie {

void downgrade::describe(config::fields<downgrade>& f) {
    f("node", &downgrade::node).required().text("the link above this node");
    f("at", &downgrade::at).text("when it goes down for retraining");
    f("to", &downgrade::to).text("what it comes back as");
    f("retrain", &downgrade::retrain).text("how long nothing is sent");
}

fault_injector::fault_injector(const fault_plan& plan, const std::string& port_name)
    : bit_error_rate_(plan.bit_error_rate),
      random_(core::seed_of(plan.seed, port_name)) {
    for (const auto& c : plan.corrupt)
        if (c.port == port_name) scripted_[c.packet == packet_type::tlp ? 0 : 1].numbers.push_back(c.number);
    for (auto& s : scripted_) std::sort(s.numbers.begin(), s.numbers.end());
    if (bit_error_rate_ > 0) draw();
}

void fault_injector::draw() {
    // The distance to the next error is geometric.
    good_bits_ += std::floor(std::log(random_.unit()) / std::log1p(-bit_error_rate_));
}

bool fault_injector::corrupts(std::size_t type, std::uint32_t wire_bytes) {
    auto& s = scripted_[type];
    const std::uint64_t number = s.seen++;
    bool hit = false;
    while (s.next < s.numbers.size() && s.numbers[s.next] == number) {
        hit = true;
        ++s.next;
    }
    if (bit_error_rate_ > 0) {
        const double bits = 8.0 * wire_bytes;
        good_bits_ -= bits;
        while (good_bits_ < 0) {
            hit = true;
            draw();
        }
    }
    return hit;
}

void fault_injector::append_unmet(const std::string& port_name, std::vector<std::string>& texts) const {
    for (std::size_t type = 0; type < scripted_.size(); ++type)
        for (std::size_t i = scripted_[type].next; i < scripted_[type].numbers.size(); ++i)
            texts.push_back(fmt::format("{}: {} {} was to arrive corrupted, and only {} were sent", port_name,
                                        type == 0 ? "TLP" : "DLLP", scripted_[type].numbers[i], scripted_[type].seen));
}

buffer_fault_injector::buffer_fault_injector(const fault_plan& plan, const std::string& node) {
    for (const auto& f : plan.flips)
        if (f.node == node) flips_.push_back(f);
    std::stable_sort(flips_.begin(), flips_.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
}

std::optional<std::uint32_t> buffer_fault_injector::flips_byte_of(std::uint32_t payload) {
    const std::uint64_t number = seen_++;
    if (next_ == flips_.size() || flips_[next_].number != number) return std::nullopt;
    return std::min(flips_[next_++].byte, payload - 1);
}

void buffer_fault_injector::append_unmet(const std::string& node, std::vector<std::string>& texts) const {
    for (std::size_t i = next_; i < flips_.size(); ++i)
        texts.push_back(fmt::format("{}: a byte of TLP {} with data was to change, and only {} passed", node,
                                    flips_[i].number, seen_));
}

}  // namespace contraflow::pcie
