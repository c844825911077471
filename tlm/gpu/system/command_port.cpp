// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/command_port.h"

#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "gpu/kernel/kernel_launch.h"

namespace contraflow::gpu {

command_port::command_port(pcie::function& of, pcie_host& host, unsigned gpu, owner_if& owner)
    : function_(of),
      host_(host),
      gpu_(gpu),
      owner_(owner),
      msi_(of),
      commands_(command_slots) {
    of.map_bar(1, *this);
    msi_.configure(0, pcie_host::interrupt_of(gpu));
}

pcie::access_result command_port::write(std::uint64_t offset, const pcie::tlp& packet) {
    const pcie::byte_span span = pcie::span_of(packet);
    const std::uint8_t* const from = packet.data + (span.address - packet.address);
    if (offset == doorbell_offset && span.length == pcie::dword)
        return ring(core::load_le<std::uint32_t>(from)) ? pcie::access_result::done : pcie::access_result::aborted;
    const std::uint64_t slot = offset / command_slot_bytes, within = offset % command_slot_bytes;
    if (slot >= command_slots || within + span.length > command_slot_bytes || !pcie::contiguous(packet))
        return pcie::access_result::aborted;
    std::memcpy(commands_[slot].packet.data() + within, from, span.length);
    return pcie::access_result::done;
}

bool command_port::ring(std::uint32_t slot) {
    if (slot >= command_slots || !host_.has(gpu_, slot)) return false;
    command& c = commands_[slot];
    const host_command what = host_command::decode(c.packet.data());
    c.sequence = what.sequence;
    c.kernel.reset();
    c.copy.reset();
    try {
        start(slot, what);
    } catch (...) {
        host_.work(gpu_, slot).fail(std::current_exception());
        ended(slot);
    }
    return true;
}

// The packet may have been damaged on its way.
void command_port::start(unsigned slot, const host_command& what) {
    command& c = commands_[slot];
    const auto refuse = [&] {
        throw std::runtime_error(fmt::format("GPU {}: the packet in command slot {} is no command for it", gpu_, slot));
    };
    const auto* const launched = dynamic_cast<const grid_part*>(&host_.work(gpu_, slot));
    if ((launched != nullptr) != (what.kind == command_kind::launch) || what.kind > command_kind::launch) refuse();
    if (launched == nullptr) {
        if (what.bytes == 0) refuse();
        return owner_.submit(c.copy.emplace(*this, slot, what));
    }
    const cta_run run{what.from, what.to};
    if (run.begin >= run.end || run.end > launched->of().ctas()) refuse();
    owner_.submit(c.kernel.emplace(*this, slot, launched->of(), run));
}

copy_kind command_port::kind_of(const host_command& c) {
    switch (c.kind) {
    case command_kind::to_device: return copy_kind::to_device;
    case command_kind::from_device: return copy_kind::from_device;
    case command_kind::within:
    case command_kind::launch: break;
    }
    return copy_kind::within;
}

// Bytes of a copy to the host have left before, and neither the record nor the interrupt passes them.
void command_port::ended(unsigned slot) {
    command& c = commands_[slot];
    if (!host_.has(gpu_, slot)) return;
    work_part& work = host_.work(gpu_, slot);
    if (c.kernel) {
        auto& launched = static_cast<grid_part&>(work);
        launched.begun = c.kernel->begun;
        launched.ended_at = c.kernel->ended_at;
        work.fail(c.kernel->error);
    }
    if (c.copy) work.fail(c.copy->error);
    if (resetting_) return;  // the host drops it with this error
    c.record = c.sequence;
    c.report = {};
    c.report.kind = pcie::operation_kind::write;
    c.report.address = host_.record_of(gpu_, slot);
    c.report.length = sizeof c.record;
    c.report.buffer = reinterpret_cast<std::uint8_t*>(&c.record);
    c.report.stream = pcie::no_stream;
    c.report.owner = this;
    function_.start(c.report);
}

// The record has left, so an interrupt that has not is behind it, even one of an earlier record.
void command_port::finished(pcie::operation&) { msi_.raise(0); }

void command_port::end_reset() {
    resetting_ = false;
    msi_.reset();
    msi_.configure(0, pcie_host::interrupt_of(gpu_));
    for (command& c : commands_) {
        c.kernel.reset();
        c.copy.reset();
    }
}

}  // namespace contraflow::gpu
