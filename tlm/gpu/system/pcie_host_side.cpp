// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/pcie_host_side.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::gpu {

pcie_host_side::pcie_host_side(core::scheduler& events, pcie::function& function, std::string path, std::string host,
                               std::size_t pieces, host_side_user_if& user)
    : events_(events),
      function_(function),
      path_(std::move(path)),
      host_(std::move(host)),
      user_(user),
      in_(pieces),
      out_(pieces) {}

void pcie_host_side::begin(const host_transfer& t) {
    if (t.part->kind != copy_kind::to_device) return;
    to_ask_.push_back({t, 0});
    ask();
}

std::uint64_t pcie_host_side::reach(const host_transfer& t, std::uint64_t offset) const {
    return in_.length_at(t.part->host.bus + offset, t.part->bytes - offset);
}

void pcie_host_side::prepare(piece& p, const host_transfer& t, std::uint64_t offset, pcie::operation_kind kind) {
    p.of = t;
    p.offset = offset;
    p.lines = 0;
    p.arrived = false;
    p.since = events_.now();
    p.kind = kind;
    p.address = t.part->host.bus + offset;
    p.length = reach(t, offset);
    p.buffer = p.bytes.data();
    p.owner = this;
    p.stream = pcie::no_stream;
}

void pcie_host_side::ask() {
    while (!to_ask_.empty() && !in_.none_free()) {
        reading& r = to_ask_.front();
        piece& p = in_.take();
        prepare(p, r.of, r.asked, pcie::operation_kind::read);
        r.asked += p.length;
        if (r.asked == r.of.part->bytes) to_ask_.pop_front();
        coming_.push_back(&p);
        function_.start(p);
    }
}

bool pcie_host_side::ready(const host_transfer& t, std::uint64_t offset, unsigned) {
    if (t.part->kind == copy_kind::to_device) return !coming_.empty() && coming_.front()->arrived;
    if (filling(t, offset) != nullptr) return true;
    if (out_.none_free()) return false;
    piece& p = out_.take();
    prepare(p, t, offset, pcie::operation_kind::write);
    filling_.push_back(&p);
    return true;
}

// Lines are taken in order, and none crosses the end of a piece.
void pcie_host_side::take(const host_transfer&, std::uint64_t offset, std::uint8_t* to, unsigned length) {
    piece& p = *coming_.front();
    std::memcpy(to, p.bytes.data() + (offset - p.offset), length);
    p.lines += length;
    if (p.lines != p.length) return;
    coming_.pop_front();
    in_.give_back(p);
    ask();
}

pcie_host_side::piece* pcie_host_side::filling(const host_transfer& t, std::uint64_t offset) {
    const auto at = std::find_if(filling_.begin(), filling_.end(), [&](const piece* p) {
        return p->of.number == t.number && offset - p->offset < p->length;
    });
    return at == filling_.end() ? nullptr : *at;
}

void pcie_host_side::put(const host_transfer& t, std::uint64_t offset, const std::uint8_t* from, unsigned length) {
    piece& p = *filling(t, offset);
    std::memcpy(p.bytes.data() + (offset - p.offset), from, length);
    p.lines += length;
    if (p.lines != p.length) return;
    filling_.erase(std::find(filling_.begin(), filling_.end(), &p));
    full_.push_back(&p);
    post();
}

void pcie_host_side::post() {
    while (!full_.empty() && posted_.size() < most_posted) {
        piece& p = *full_.front();
        full_.pop_front();
        posted_.push_back(&p);
        function_.start(p);
    }
}

void pcie_host_side::all_put(const host_transfer& t) {
    ending_.push_back(t.number);
    tell_ended();
}

// A copy to the host has ended when none of its pieces is left.
void pcie_host_side::tell_ended() {
    const auto left = [&](std::uint32_t number) {
        const auto of_it = [&](const piece* p) { return p->of.number == number; };
        return std::any_of(full_.begin(), full_.end(), of_it) || std::any_of(posted_.begin(), posted_.end(), of_it);
    };
    for (std::size_t i = 0; i < ending_.size();) {
        if (left(ending_[i])) {
            ++i;
            continue;
        }
        const std::uint32_t number = ending_[i];
        ending_.erase(ending_.begin() + static_cast<std::ptrdiff_t>(i));
        user_.host_has(number, events_.now());
    }
}

void pcie_host_side::finished(pcie::operation& o) {
    auto& p = static_cast<piece&>(o);
    if (p.kind == pcie::operation_kind::write) {
        posted_.erase(std::find(posted_.begin(), posted_.end(), &p));
        out_.give_back(p);
        post();
        tell_ended();
    } else {
        if (p.failed()) {
            std::fill(p.bytes.begin(), p.bytes.end(), std::uint8_t{0xff});
            p.of.part->fail(std::make_exception_ptr(std::runtime_error(
                fmt::format("{}: a read of the host's memory at bus address {:#x} {}", path_, p.address,
                            p.timed_out ? "was not answered in time" : "was answered with an error"))));
        }
        p.arrived = true;
    }
    user_.host_ready(events_.now());
}

void pcie_host_side::reset() {
    in_.reset();
    out_.reset();
    to_ask_.clear();
    coming_.clear();
    filling_.clear();
    full_.clear();
    posted_.clear();
    ending_.clear();
}

void pcie_host_side::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!coming_.empty() && !coming_.front()->arrived)
        edges.push_back({path_, "bytes of the host's memory", host_, coming_.front()->since});
    if (!posted_.empty())
        edges.push_back({path_, "room on the link to the host", function_.name(), posted_.front()->since});
}

}  // namespace contraflow::gpu
