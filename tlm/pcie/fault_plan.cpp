// SPDX-License-Identifier: Apache-2.0
#include "pcie/fault_plan.h"

#include <algorithm>
#include <cmath>

#include "pcie/link_rate.h"

namespace contraflow::pcie {
namespace {

std::uint64_t name_hash(const std::string& text) {  // FNV-1a
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

// splitmix64: small, and the same on every machine.
std::uint64_t next_random(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

}  // namespace

void downgrade::describe(config::fields<downgrade>& f) {
    f("node", &downgrade::node).required().text("the link above this node");
    f("at", &downgrade::at).text("when it goes down for retraining");
    f("to", &downgrade::to)
        .check([](const std::string& text) { return parse_link_rate(text).has_value(); },
               "a generation from 1 to 6 and a width of 1, 2, 4, 8 or 16, such as 'gen3 x8'")
        .text("what it comes back as");
    f("retrain", &downgrade::retrain).text("how long nothing is sent");
}

fault_injector::fault_injector(const fault_plan& plan, const std::string& port_name)
    : bit_error_rate_(plan.bit_error_rate),
      state_(plan.seed ^ name_hash(port_name)) {
    for (const auto& c : plan.corrupt)
        if (c.port == port_name) scripted_[c.packet == packet_type::tlp ? 0 : 1].numbers.push_back(c.number);
    for (auto& s : scripted_) std::sort(s.numbers.begin(), s.numbers.end());
    if (bit_error_rate_ > 0) draw();
}

void fault_injector::draw() {
    // The distance to the next error is geometric; 53 random bits make a number in (0, 1].
    const double u = (static_cast<double>(next_random(state_) >> 11) + 1.0) * 0x1p-53;
    good_bits_ += std::floor(std::log(u) / std::log1p(-bit_error_rate_));
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

}  // namespace contraflow::pcie
