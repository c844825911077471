// SPDX-License-Identifier: Apache-2.0
#include "host/driver/driver.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::host {

// The latency one way over PCIe through one or two switches, with the processing at both ends: assumed.
void driver::spec::describe(config::fields<spec>& f) {
    f("command_latency", &spec::command_latency)
        .text(
            "time of a message from the driver to a GPU's command processor, and of one back when a command has ended; "
            "with network.kind pcie the tree carries these messages, and host_port applies");
}

driver::statistics_set::statistics_set(observe::statistics& group)
    : kernels(group, "driver.kernels", "kernels", "kernels, or parts split by the host, that have ended"),
      copies(group, "driver.copies", "copies", "copies that have ended"),
      copied(group, "driver.copied", "bytes", "bytes of all these copies"),
      events(group, "driver.events", "events", "ends of queues recorded, and waits for events of other queues"),
      latency(group, "driver.latency", "ns",
              "time of kernels and copies, from their turn in their queue to their end") {}

driver::driver(observe::statistics& statistics, const spec& s, gpu::multi_gpu& machine, memory::page_mapper_if& mapper)
    : spec_(s),
      machine_(machine),
      gpus_(machine.gpus()),
      memory_(mapper, machine.map()),
      statistics_(statistics) {}

// The commands end here, so the GPUs must stop their work for them.
driver::~driver() {
    programs_.clear();
    if (std::any_of(queues_.begin(), queues_.end(), [](const command_queue& q) { return !q.idle(); }))
        machine_.control(core::control_verb::reset);
}

context& driver::create_context() {
    return contexts_.emplace_back(*this, static_cast<std::uint32_t>(contexts_.size() + 1));
}

command_queue& driver::create_queue(context& of) {
    return queues_.emplace_back(*this, of, of.selected_gpu(), fmt::format("driver.queue{}", queues_.size()));
}

void driver::free(std::uint32_t process, std::uint64_t address) {
    const address_space::range r = memory_.release(process, address);
    const std::uint64_t bytes = r.frames.size() * memory_.page_size();
    std::vector<std::uint64_t> frames = r.frames;
    if (claims_ != nullptr) claims_->freed(process, r.begin, bytes, frames);
    const std::uint64_t turn = times_freed_++;
    freed_.emplace(turn, freed_frames{{std::move(frames), memory_.page_size()}});
    if (shootdown_ == nullptr) return invalidated(turn);
    shootdown_->shoot_down({process, r.begin, bytes}, core::callback::to<&driver::invalidated>(*this, turn));
}

// Until a GPU has invalidated its translations, it may still make accesses that are no longer permitted.
bool driver::protect(std::uint32_t process, std::uint64_t address, memory::access_rights rights) {
    if (!memory_.protect(process, address, rights)) return false;
    const std::uint64_t pages = memory_.range_of(process, address, 0).frames.size();
    if (shootdown_ != nullptr) shootdown_->shoot_down({process, address, pages * memory_.page_size()}, {});
    return true;
}

// Flushes second levels first; otherwise a later write-back would overwrite the zeros in the frame.
void driver::invalidated(std::uint64_t freed) {
    const auto at = freed_.find(freed);
    if (at == freed_.end()) return;
    freed_frames& f = at->second;
    std::vector<bool> homes(machine_.gpus() + 1);
    for (const std::uint64_t frame : f.all.frames()) homes[machine_.map().socket_of(frame) + 1] = true;
    f.missing = static_cast<std::size_t>(std::count(homes.begin(), homes.end(), true));
    for (unsigned g = 1; g < homes.size(); ++g)
        if (homes[g]) machine_.processor(g).flush(f.all.lines(), core::callback::to<&driver::flushed>(*this, freed));
}

void driver::flushed(std::uint64_t freed) {
    const auto at = freed_.find(freed);
    if (at == freed_.end() || --at->second.missing != 0) return;
    hand_back(at->second.all);
    freed_.erase(at);
}

void driver::all_invalidated() {
    for (const auto& [turn, f] : freed_) hand_back(f.all);
    freed_.clear();
}

// No process may see another one's old data. So memory is zeroed, and copies in caches are dropped: a kernel that still
// runs would find them when a page of its own gets the frame.
void driver::hand_back(const frame_set& all) {
    const std::vector<std::byte> zeros(memory_.page_size());
    for (unsigned g = 1; g <= machine_.gpus(); ++g) machine_.processor(g).invalidate_copies(all.lines());
    for (unsigned g = 1; g <= machine_.gpus(); ++g)
        if (gpu::access_counters* const c = machine_.counters(g))
            for (const std::uint64_t f : all.frames()) c->clear(f);
    for (const std::uint64_t f : all.frames()) machine_.hardware().debug_write(f, zeros);
    memory_.give_back(all.frames());
}

namespace {

// Calls part(physical, offset, length) for the part in each page.
template <class Part>
void in_place(const address_space& memory, std::uint32_t process, std::uint64_t address, std::size_t length,
              Part part) {
    const std::uint64_t page = memory.page_size();
    for (std::size_t done = 0; done < length;) {
        const std::uint64_t at = address + done;
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(page - at % page, length - done));
        part(memory.physical(process, at), done, n);
        done += n;
    }
}

}  // namespace

void driver::write_in_place(std::uint32_t process, std::uint64_t address, std::span<const std::byte> bytes) {
    in_place(memory_, process, address, bytes.size(), [&](std::uint64_t physical, std::size_t offset, std::size_t n) {
        machine_.hardware().debug_write(physical, bytes.subspan(offset, n));
    });
    if (claims_ != nullptr) claims_->written_in_place(process, address, bytes);
}

void driver::read_in_place(std::uint32_t process, std::uint64_t address, std::span<std::byte> bytes) const {
    in_place(memory_, process, address, bytes.size(), [&](std::uint64_t physical, std::size_t offset, std::size_t n) {
        machine_.hardware().debug_read(physical, bytes.subspan(offset, n));
    });
}

void driver::start(gpu::host_task program) {
    gpu::coroutine_stack& s = programs_.emplace_back();
    std::move(program).start_on(s);
    s.resume();
}

bool driver::finished() const {
    return std::all_of(programs_.begin(), programs_.end(),
                       [](const gpu::coroutine_stack& s) { return s.finished(); }) &&
           std::all_of(queues_.begin(), queues_.end(), [](const command_queue& q) { return q.idle(); });
}

void driver::rethrow() const {
    for (const gpu::coroutine_stack& s : programs_)
        if (s.error()) std::rethrow_exception(s.error());
}

std::exception_ptr driver::error_so_far() const {
    for (const command_queue& q : queues_)
        for (const auto& c : q.history())
            if (const auto error = c->error_so_far()) return error;
    return nullptr;
}

gpu::host_task driver::synchronise() {
    for (std::size_t i = 0; i < queues_.size(); ++i) {  // others may create queues meanwhile
        const event all = queues_[i].synchronise();
        co_await all;
    }
}

bool driver::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause:
    case core::control_verb::drain: gives_ = false; return true;
    case core::control_verb::enable:
        gives_ = true;
        for (command_queue& q : queues_) q.go_on();
        return true;
    case core::control_verb::reset: {
        gives_ = true;
        const auto why = std::make_exception_ptr(std::runtime_error("the driver was reset"));
        for (std::size_t i = queues_.size(); i > 0; --i) queues_[i - 1].drop(why);
        return true;
    }
    default: return false;
    }
}

void driver::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const command_queue& q : queues_) q.report_waits(edges);
}

}  // namespace contraflow::host
