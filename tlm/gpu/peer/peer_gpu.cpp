// SPDX-License-Identifier: Apache-2.0
#include "gpu/peer/peer_gpu.h"

#include <algorithm>
#include <cstring>

#include "core/little_endian.h"

namespace contraflow::gpu {
namespace {

using pcie::access_result;

pcie::function::spec with_payload(pcie::function::spec f) {
    f.requests.max_payload = peer_answer;
    return f;
}

}  // namespace

// Registers and windows have side effects, so no bridge may prefetch there: they are below 4 GiB.
pcie::function_spec peer_gpu::place_of(const peer_spec& s) {
    pcie::function_spec place;
    place.bars = {{{std::uint64_t{s.requesters} * peer_registers}, false, "registers"},
                  {{std::uint64_t{s.requesters} * peer_page}, false, "write windows"},
                  {s.aperture, true, "aperture"}};
    return place;
}

peer_gpu::peer_gpu(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& pool,
                   pcie::function::spec f, const pcie::address_map::function& place, const peer_spec& s)
    : memory_(s.memory.count),
      function_(name, shared, pool, with_payload(std::move(f)), place, *this),
      reads_(shared.events, shared.statistics, function_, memory_, s, std::string(function_.name()) + ".reads"),
      windows_(shared.events, shared.statistics, function_, memory_, s, std::string(function_.name()) + ".windows"),
      aperture_(shared.events, shared.statistics, function_, memory_, s, std::string(function_.name()) + ".bar1"),
      copies_(shared.events, shared.statistics, function_, memory_, s, std::string(function_.name()) + ".copies") {
    function_.map_bar(registers_bar, *this);
    function_.map_bar(windows_bar, windows_);
    function_.map_bar(aperture_bar, aperture_);
}

std::uint64_t peer_gpu::registers_of(unsigned requester) const {
    return function_.place().bars[registers_bar].base + std::uint64_t{requester} * peer_registers;
}

std::uint64_t peer_gpu::window_of(unsigned requester) const {
    return function_.place().bars[windows_bar].base + std::uint64_t{requester} * peer_page;
}

access_result peer_gpu::write(std::uint64_t offset, const pcie::tlp& packet) {
    if (offset % peer_register_size != 0 || pcie::span_of(packet).length != peer_register_size ||
        !pcie::contiguous(packet))
        return access_result::aborted;
    const auto word = core::load_le<std::uint64_t>(packet.data);
    const auto requester = static_cast<unsigned>(offset / peer_registers);
    switch (static_cast<peer_register>(offset % peer_registers)) {
    case peer_register::read_request: return reads_.request(requester, word);
    case peer_register::answer_base: reads_.set_answer_base(requester, word); return access_result::done;
    case peer_register::answer_size: reads_.set_answer_size(requester, word); return access_result::done;
    case peer_register::window: return windows_.move(requester, word);
    case peer_register::refused: return access_result::aborted;
    default: break;
    }
    if (requester != 0) return access_result::aborted;
    switch (static_cast<peer_register>(offset)) {
    case peer_register::copy_report: copies_.set_report(word); return access_result::done;
    case peer_register::copy_host: copies_.set_host(word); return access_result::done;
    case peer_register::copy_gpu: copies_.set_gpu(word); return access_result::done;
    case peer_register::copy_start: return copies_.start(word);
    default: break;
    }
    return access_result::aborted;
}

access_result peer_gpu::request(pcie::inbound_request& r, const pcie::tlp& packet) {
    if (packet.kind != pcie::tlp_kind::memory_read) return access_result::unsupported;
    if (r.length != peer_register_size ||
        static_cast<peer_register>(r.offset % peer_registers) != peer_register::refused)
        return access_result::aborted;
    const auto requester = static_cast<unsigned>(r.offset / peer_registers);
    core::store_le<std::uint32_t>(r.old.data(), reads_.refused(requester));
    core::store_le<std::uint32_t>(r.old.data() + 4, windows_.refused(requester));
    return access_result::done;
}

void peer_gpu::fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) {
    std::memcpy(to, r.old.data() + from, length);
}

void peer_gpu::reset_engines() {
    reads_.stop();
    windows_.reset();
    aperture_.stop();
}

bool peer_gpu::control(core::control_verb verb) {
    const bool done = function_.control(verb);
    if (verb == core::control_verb::reset) {
        reads_.reset();
        windows_.reset();
        aperture_.reset();
        copies_.reset();
    }
    return done;
}

void peer_gpu::report_waits(std::vector<core::wait_edge>& edges) const {
    function_.report_waits(edges);
    reads_.report_waits(edges);
    windows_.report_waits(edges);
    aperture_.waits().report_waits(edges);
    copies_.report_waits(edges);
}

}  // namespace contraflow::gpu
