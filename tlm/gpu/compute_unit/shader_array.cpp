// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/shader_array.h"

#include <fmt/format.h>

namespace contraflow::gpu {

shader_array::shader_array(const sc_core::sc_module_name& name, const memory::resources& shared,
                           const shader_array_spec& s, unsigned socket, unsigned first, code_memory& code,
                           request_profile& profile)
    : sc_core::sc_module(name),
      instructions("instructions", shared, *this, 0),
      scalars("scalars", shared, *this, 1),
      shared_(shared),
      spec_(s),
      socket_(socket),
      first_(first),
      code_(code),
      profile_(profile),
      fetched_(shared.statistics, std::string(this->name()) + ".fetched", "lines", "lines of code that wavefronts got"),
      loaded_(shared.statistics, std::string(this->name()) + ".arguments", "lines",
              "lines of arguments that wavefronts got") {}

shader_array::~shader_array() { drop(); }

void shader_array::drop() {
    for (unsigned port = 0; port < under_way_.size(); ++port) {
        for (memory::payload* const p : under_way_[port])
            if (p != nullptr) p->release();
        under_way_[port].clear();
        free_[port].clear();
        waiting_[port].clear();
    }
}

void shader_array::ask(unsigned port, unsigned unit, unsigned slot, std::uint32_t number, std::uint64_t address) {
    memory::payload& p = shared_.payloads.take();
    p.read(address, static_cast<unsigned>((port == 0 ? spec_.instructions : spec_.scalars).line.count));
    memory::memory_extension& e = p.extension();
    e.origin = {static_cast<std::uint16_t>(socket_), static_cast<std::uint16_t>(unit), slot};
    e.scope = memory::scope::group;
    e.times.begin(shared_.events.now());
    profile_.code_begun(e);
    if (e.times.recorded()) e.times.pass(name(), shared_.events.now());
    if (free_[port].empty()) {
        free_[port].push_back(static_cast<std::uint32_t>(under_way_[port].size()));
        under_way_[port].push_back(nullptr);
    }
    e.push_route(number);
    e.push_route(free_[port].back());
    under_way_[port][free_[port].back()] = &p;
    free_[port].pop_back();
    ++asked_;
    waiting_[port].push(e);
    pump(port);
}

void shader_array::pump(unsigned number) {
    memory::payload_fifo& waiting = waiting_[number];
    while (!waiting.empty() && port(number).ready()) {
        memory::memory_extension& e = waiting.pop();
        e.milestone(memory::stage::coalescer, shared_.events.now());
        port(number).send(e);
    }
}

bool shader_array::response_arrived(unsigned port, memory::memory_extension& answered) {
    const std::uint32_t place = answered.pop_route(), number = answered.pop_route();
    const unsigned slot = answered.origin.wave;
    code_client_if& unit = *units_[answered.origin.unit - first_];
    if (answered.times.recorded()) answered.times.pass(name(), shared_.events.now());
    answered.milestone(memory::stage::l1, shared_.events.now());
    profile_.code_completed(port == 1, answered);
    auto& p = static_cast<memory::payload&>(answered.carrier());
    const auto line = std::span<const std::uint8_t>(p.get_data_ptr(), p.get_data_length());
    if (p.is_response_ok())
        right_ += code_memory::is_right(p.get_address(), line) ? 1 : 0;
    else
        failed_ += unit.line_refused(slot, number, port == 1, p) ? 1 : 0;
    ++answered_;
    under_way_[port][place] = nullptr;
    free_[port].push_back(place);
    shared_.payloads.release(p);
    if (port == 0) {
        ++fetched_;
        unit.code_arrived(slot, number);
    } else {
        ++loaded_;
        unit.arguments_arrived(slot, number);
    }
    return true;
}

bool shader_array::control(core::control_verb verb) {
    if (verb != core::control_verb::reset) return false;
    asked_ = answered_;
    drop();
    instructions.reset();
    scalars.reset();
    return true;
}

void shader_array::report_waits(std::vector<core::wait_edge>& edges) const {
    for (unsigned i = 0; i < under_way_.size(); ++i) {
        const memory::payload* oldest = nullptr;
        for (const memory::payload* const p : under_way_[i])
            if (p != nullptr && (oldest == nullptr || p->extension().times.begun() < oldest->extension().times.begun()))
                oldest = p;
        if (oldest != nullptr)
            edges.push_back({name(), i == 0 ? "a line of code" : "a kernel's arguments", port(i).peer_name(),
                             oldest->extension().times.begun()});
    }
}

void shader_array::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: lines of code and arguments asked for and got", name()), "lines", asked_, answered());
    checks.check(fmt::format("{}: lines of code and arguments with the bytes that were put there", name()), "lines",
                 answered() - failed_, right_);
}

}  // namespace contraflow::gpu
