// SPDX-License-Identifier: Apache-2.0
// soak_gpu REQUESTS [FIRST_SEED]: random kernels on random GPUs until that many line requests have been made; every
// load is checked against what its thread last stored, and the whole memory at the end against the ideal machine's.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "gpu/kernel/ideal_machine.h"
#include "random_gpu.h"
#include "random_kernel.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;

struct outcome {
    std::uint64_t requests = 0;
    bool right = false;
};

outcome run(std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    gpu::testing::whole_gpu g(gpu::testing::random_gpu(draw));
    ideal_machine ideal;
    gpu::testing::random_kernel timed(g.gpu.memory(), seed), expected(ideal.memory(), seed);
    g.run(timed.run(g.gpu.host()));
    ideal.run(expected.run(ideal));
    g.expect_clean();
    outcome o;
    for (const access_kind k : {access_kind::load, access_kind::store, access_kind::atomic})
        o.requests += g.gpu.profile().count(k, true) + g.gpu.profile().count(k, false);
    o.right = timed.wrong_loads() == 0 && timed.contents(g.gpu.memory()) == expected.contents(ideal.memory()) &&
              !::testing::Test::HasFailure();
    return o;
}

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (argc < 2) {
        std::fputs("usage: soak_gpu REQUESTS [FIRST_SEED]\n", stderr);
        return 2;
    }
    const std::uint64_t wanted = std::strtoull(argv[1], nullptr, 10);
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::uint64_t requests = 0, machines = 0;
    for (; requests < wanted; ++seed, ++machines) try {
            const outcome o = run(seed);
            requests += o.requests;
            if (o.right) continue;
            std::fprintf(stderr, "soak_gpu: wrong with seed %llu\n", static_cast<unsigned long long>(seed));
            return 1;
        } catch (const std::exception& e) {
            std::fprintf(stderr, "soak_gpu: seed %llu: %s\n", static_cast<unsigned long long>(seed), e.what());
            return 1;
        }
    std::printf("soak_gpu: %llu line requests on %llu machines, all right\n", static_cast<unsigned long long>(requests),
                static_cast<unsigned long long>(machines));
    return 0;
}
