// SPDX-License-Identifier: Apache-2.0
// Put latency: workgroups of PE 0 put the same number of bytes to the next PE again and again; each put is awaited
// before the next. The time of a put is the time between the ends of two steps. Every put has bytes of its own.
//
// Put rate: the same puts, of which none is awaited before the last one; one step, by kernels only.
#pragma once

#include "shmem/programs/program_if.h"

namespace contraflow::shmem {

class put_latency final : public program_if {
public:
    struct spec {
        unsigned puts = 16;
        core::bytes size{8};
        unsigned workgroups = 1, threads = 64;
        bool awaited = true;
        static void describe(config::fields<spec>& f);
    };
    explicit put_latency(const spec& s) : spec_(s) {}

    void prepare(job& j) override;
    unsigned steps() const override { return spec_.awaited ? spec_.puts : 1; }
    unsigned workgroups() const override { return spec_.workgroups; }
    unsigned threads(unsigned) const override { return spec_.threads; }
    std::uint64_t heap_bytes() const override { return 2 * place(spec_.workgroups, 0); }
    bool blocking() const override { return true; }
    bool puts_at_any_time() const override { return !spec_.awaited; }
    gpu::task<> whole(context& c, gpu::wave w) override;
    gpu::task<> compute(pe& of, gpu::wave w, unsigned step, part which) override;
    std::vector<message> messages(const pe& of, unsigned workgroup, unsigned step) const override;
    std::vector<sender> senders(const pe&, unsigned, unsigned) const override { return {}; }
    std::string verify(job& j) const override;

private:
    std::uint64_t place(unsigned workgroup, unsigned step) const {
        return (std::uint64_t{workgroup} * spec_.puts + step) * spec_.size.count;
    }
    const spec spec_;
    std::vector<gpu::array<std::uint8_t>> source_, dest_;  // by PE
};

}  // namespace contraflow::shmem
