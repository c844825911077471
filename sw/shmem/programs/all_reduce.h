// SPDX-License-Identifier: Apache-2.0
// All-reduce as in training: each PE has a vector of floats (gradients), and each gets the sum of all of them in its
// place.
//
//   ring   n - 1 phases in which parts of 1/n go round and every PE adds its own (reduce-scatter), and n - 1 in
//          which the sums go round (all-gather)
//   tree   ceil(log2 n) phases in which sums of whole vectors go up a binomial tree, and as many in which they go down
//
// By kernels, each workgroup has a slice of every part, as channels have, and puts it in chunks. A chunk needs the same
// chunk of the phase before only, so phases overlap. By the host, a phase is a kernel that adds and one message, or
// without kernels, the host's own addition and one message.
// Source: Patarasuk, Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 69, 2009.
//
// What is to be added arrives in a place that no other phase uses. What replaces a part arrives there, because it holds
// the part's own contribution, which has therefore been read before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shmem/programs/program_if.h"

namespace contraflow::shmem {

enum class reduction_way : std::uint8_t { ring, tree };

class all_reduce final : public program_if {
public:
    struct spec {
        std::uint64_t elements = 1 << 14;
        reduction_way way = reduction_way::ring;
        unsigned chunks = 4, workgroups = 8, threads = 256;
        std::uint64_t seed = 1;
    };
    // For two PEs or more.
    all_reduce(const spec& s, unsigned pes, bool by_kernels);

    void prepare(job& j) override;
    unsigned steps() const override { return phases() * chunks_; }
    unsigned workgroups() const override { return spec_.workgroups; }
    unsigned threads(unsigned) const override { return spec_.threads; }
    std::uint64_t heap_bytes() const override { return (1 + places()) * spec_.elements * sizeof(float); }
    gpu::task<> compute(pe& of, gpu::wave w, unsigned step, part which) override;
    core::bytes compute_on_host(pe& of, unsigned step) override;
    std::vector<message> messages(const pe& of, unsigned workgroup, unsigned step) const override;
    std::vector<sender> senders(const pe& of, unsigned workgroup, unsigned step) const override;
    // Bit for bit: the order in which a part's terms are added is that of the ring or the tree.
    std::string verify(job& j) const override;

private:
    struct range {
        std::uint64_t begin = 0, end = 0;
        bool empty() const { return begin == end; }
        range piece(std::uint64_t k, std::uint64_t of) const {
            const std::uint64_t n = end - begin;
            return {begin + n * k / of, begin + n * (k + 1) / of};
        }
    };
    // What a PE puts in a phase.
    struct transfer {
        unsigned from = 0, to = 0;
        range elements;
        bool add = false;  // by the receiver, otherwise it replaces
    };
    unsigned rounds() const;  // of half the phases
    unsigned phases() const { return 2 * rounds(); }
    unsigned places() const { return spec_.way == reduction_way::ring ? 1 : rounds(); }  // vectors that arrive
    std::optional<transfer> sent(unsigned pe, unsigned phase) const;
    std::optional<transfer> received(unsigned pe, unsigned phase) const;
    // What a workgroup has of it in a step.
    range share(const transfer& t, unsigned workgroup, unsigned step) const;
    // In the receiver: where it arrives.
    gpu::array<float> arrival(unsigned pe, const transfer& t, unsigned phase) const;
    float element(unsigned pe, std::uint64_t i) const;
    std::vector<float> expected() const;

    const spec spec_;
    const unsigned pes_, chunks_, senders_;          // senders_: workgroups of a PE that put
    std::vector<gpu::array<float>> vector_, place_;  // by PE
};

}  // namespace contraflow::shmem

template <> struct contraflow::config::enum_names<contraflow::shmem::reduction_way> {
    using e = contraflow::shmem::reduction_way;
    static constexpr std::array names{std::pair{e::ring, "ring"}, std::pair{e::tree, "tree"}};
};
