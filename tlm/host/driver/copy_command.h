// SPDX-License-Identifier: Apache-2.0
// A copy in a queue. The DMA engine of a GPU moves each run of pages that are contiguous in its memory; between GPUs
// the receiver's engine does. A copy waits for pages that are moving, and its pages do not move while it runs.
#pragma once

#include <cstddef>
#include <deque>

#include "gpu/system/dma_engine.h"
#include "host/driver/command.h"
#include "host/driver/page_claims_if.h"

namespace contraflow::host {

class copy_command final : public command {
public:
    // Virtual addresses; the address at the host's end is ignored.
    copy_command(command_queue& queue, gpu::copy_kind kind, std::uint64_t to, std::uint64_t from, std::byte* host,
                 std::uint64_t bytes);
    ~copy_command() override;
    std::uint64_t bytes() const { return bytes_; }
    // A claim that was refused may succeed now. Never called from within claim().
    void pages_idle();

private:
    class part final : public gpu::copy_part {
    public:
        part(copy_command& of, gpu::copy_kind kind, std::uint64_t from, std::uint64_t to, gpu::host_bytes host,
             std::uint64_t bytes, unsigned gpu)
            : copy_part(kind, from, to, host, bytes),
              of_(of),
              gpu(gpu) {}
        void end() override { of_.part_ended(*this); }

    private:
        copy_command& of_;

    public:
        const unsigned gpu;
        bool ended = false;
    };

    void begin() override;
    void cut();
    void pin();
    void unpin();
    bool claim();
    std::vector<page_claim> wanted() const;
    void release();
    bool given() const override { return !waits_; }
    std::string holder() const override;
    void part_ended(part& p);

    const gpu::copy_kind kind_;
    const std::uint64_t to_, from_;
    gpu::host_bytes host_;
    const std::uint64_t bytes_;
    std::deque<part> parts_;
    std::size_t running_ = 0;
    bool waits_ = false;  // for moving pages
};

}  // namespace contraflow::host
