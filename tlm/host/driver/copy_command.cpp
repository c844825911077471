// SPDX-License-Identifier: Apache-2.0
#include "host/driver/copy_command.h"

#include <algorithm>
#include <utility>

#include "host/driver/driver.h"

namespace contraflow::host {
namespace {

const char* name_of(gpu::copy_kind k) {
    switch (k) {
    case gpu::copy_kind::to_device: return "copy to device";
    case gpu::copy_kind::from_device: return "copy from device";
    case gpu::copy_kind::within: return "copy within devices";
    }
    return "";
}

}  // namespace

copy_command::copy_command(command_queue& queue, gpu::copy_kind kind, std::uint64_t to, std::uint64_t from,
                           std::byte* host, std::uint64_t bytes)
    : command(queue, name_of(kind)),
      kind_(kind),
      to_(to),
      from_(from),
      host_{host, 0},
      bytes_(bytes) {}

copy_command::~copy_command() {
    if (waits_ && queue().owner().claims() != nullptr) queue().owner().claims()->withdraw(*this);
}

bool copy_command::claim() {
    page_claims_if* const claims = queue().owner().claims();
    if (claims == nullptr) return true;
    return claims->claim(queue().process().process(), wanted(), *this);
}

void copy_command::release() {
    page_claims_if* const claims = queue().owner().claims();
    if (claims != nullptr) claims->release(queue().process().process(), wanted());
}

std::vector<page_claim> copy_command::wanted() const {
    std::vector<page_claim> all;
    if (kind_ != gpu::copy_kind::to_device) all.push_back({from_, bytes_, false});
    if (kind_ != gpu::copy_kind::from_device) all.push_back({to_, bytes_, true});
    return all;
}

void copy_command::pages_idle() {
    if (!done()) begin();
}

// The places of pages are looked up when the copy begins: pages may have moved since it was ordered.
void copy_command::cut() {
    const address_space& memory = queue().owner().memory();
    const std::uint32_t process = queue().process().process();
    const std::uint64_t page = memory.page_size();
    const bool reads = kind_ != gpu::copy_kind::to_device, writes = kind_ != gpu::copy_kind::from_device;
    struct piece {
        std::uint64_t from = 0, to = 0, offset = 0, bytes = 0;
        unsigned gpu = 0;
    } open;
    const auto close = [&] {
        if (open.bytes == 0) return;
        const gpu::host_bytes host = host_.data == nullptr
                                         ? gpu::host_bytes{}
                                         : gpu::host_bytes{host_.data + open.offset, host_.bus + open.offset};
        parts_.emplace_back(*this, kind_, open.from, open.to, host, open.bytes, open.gpu);
    };
    for (std::uint64_t done = 0; done < bytes_;) {
        piece p;
        p.offset = done;
        p.bytes = bytes_ - done;
        if (reads) {
            p.from = memory.physical(process, from_ + done);
            p.bytes = std::min(p.bytes, page - p.from % page);
            p.gpu = memory.gpu_of(process, from_ + done);
        }
        if (writes) {
            p.to = memory.physical(process, to_ + done);
            p.bytes = std::min(p.bytes, page - p.to % page);
            p.gpu = memory.gpu_of(process, to_ + done);
        }
        done += p.bytes;
        const bool follows = open.bytes != 0 && p.gpu == open.gpu && (!reads || p.from == open.from + open.bytes) &&
                             (!writes || p.to == open.to + open.bytes);
        if (follows) {
            open.bytes += p.bytes;
        } else {
            close();
            open = p;
        }
    }
    close();
}

// GPUs reach the host's memory by PCIe only where it is pinned.
void copy_command::pin() {
    gpu::pcie_host* const host = queue().owner().machine().host();
    if (host_.data != nullptr && host != nullptr) host_.bus = host->pin(host_.data, bytes_);
}

void copy_command::unpin() {
    if (host_.bus != 0) queue().owner().machine().host()->unpin(std::exchange(host_.bus, 0));
}

void copy_command::begin() {
    waits_ = !claim();
    if (waits_) return;
    try {
        pin();
        cut();
    } catch (...) {  // the memory was freed since the copy was ordered
        parts_.clear();
        unpin();
        fail(std::current_exception());
    }
    running_ = parts_.size();
    for (part& p : parts_) queue().owner().machine().submit(p.gpu, p);
    if (!parts_.empty()) return;
    unpin();
    release();
    queue().finished(*this);
}

void copy_command::part_ended(part& p) {
    p.ended = true;
    fail(p.error);
    if (--running_ != 0) return;
    unpin();
    release();
    ++queue().owner().statistics().copies;
    queue().owner().statistics().copied += bytes_;
    queue().finished(*this);
}

std::string copy_command::holder() const {
    if (waits_) return "migration";
    for (const part& p : parts_)
        if (!p.ended) return queue().owner().machine().processor(p.gpu).path();
    return "host";
}

}  // namespace contraflow::host
