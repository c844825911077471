// SPDX-License-Identifier: Apache-2.0
// Ping-pong: PE 0 puts to PE 1, which answers with a put of what it has got, each byte one higher. A step is one way.
#pragma once

#include "shmem/programs/program_if.h"

namespace contraflow::shmem {

class ping_pong final : public program_if {
public:
    struct spec {
        unsigned rounds = 8;
        core::bytes size{8};
        unsigned threads = 64;
        static void describe(config::fields<spec>& f);
    };
    explicit ping_pong(const spec& s) : spec_(s) {}

    void prepare(job& j) override;
    unsigned steps() const override { return 2 * spec_.rounds; }
    unsigned workgroups() const override { return 1; }
    unsigned threads(unsigned) const override { return spec_.threads; }
    std::uint64_t heap_bytes() const override { return 2 * spec_.size.count; }
    gpu::task<> compute(pe& of, gpu::wave w, unsigned step, part which) override;
    core::bytes compute_on_host(pe& of, unsigned step) override;
    std::vector<message> messages(const pe& of, unsigned workgroup, unsigned step) const override;
    std::vector<sender> senders(const pe& of, unsigned workgroup, unsigned step) const override;
    std::string verify(job& j) const override;

private:
    bool sends(const pe& of, unsigned step) const { return of.my_pe() == step % 2; }
    const spec spec_;
    std::vector<gpu::array<std::uint8_t>> out_, in_;  // by PE
};

}  // namespace contraflow::shmem
