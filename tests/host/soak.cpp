// SPDX-License-Identifier: Apache-2.0
// soak_host REQUESTS [FIRST_SEED]: random host programs on random machines of several GPUs until their units have made
// that many line requests. The values seen by all loads and atomic operations are compared with the memory model.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "random_host_program.h"
#include "random_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;

struct totals {
    std::uint64_t requests = 0, machines = 0, outdated = 0, freed = 0;
    std::uint64_t moved = 0, duplicated = 0, collapsed = 0, declined = 0, freed_on_the_way = 0;

    void add(host::testing::machine& m) {
        ++machines;
        for (const gpu::access_kind k : {gpu::access_kind::load, gpu::access_kind::store, gpu::access_kind::atomic})
            requests += m.gpus.profile().count(k, true) + m.gpus.profile().count(k, false);
        if (m.whole.migrator() == nullptr) return;
        const auto& c = m.whole.migrator()->statistics();
        moved += c.moved.value();
        duplicated += c.duplicated.value();
        collapsed += c.collapsed.value();
        declined += c.declined.value();
        freed_on_the_way += c.freed.value();
    }
    void print() const {
        const auto n = [](std::uint64_t v) { return static_cast<unsigned long long>(v); };
        std::printf("soak_host: %llu line requests on %llu machines, all right; %llu pages moved, %llu copied, %llu "
                    "copies collapsed, %llu moves declined, %llu ended by a free; %llu allocations freed; %llu loads "
                    "saw what was outdated\n",
                    n(requests), n(machines), n(moved), n(duplicated), n(collapsed), n(declined), n(freed_on_the_way),
                    n(freed), n(outdated));
    }
    // The cases that a long run must meet; a run without them proves nothing about them.
    bool has_met_all() const {
        return moved > 0 && duplicated > 0 && collapsed > 0 && declined > 0 && freed_on_the_way > 0 && freed > 0 &&
               outdated > 0;
    }
};

// Empty: no error.
std::string run(std::uint64_t seed, totals& sum) {
    const auto s = host::testing::random_machine(seed);
    host::testing::machine m(s);
    host::testing::random_host_program p(m, seed);
    std::string wrong = p.run();
    m.expect_clean();
    if (::testing::Test::HasFailure()) wrong += "the machine is not idle, or something is not conserved\n";
    sum.add(m);
    sum.outdated += p.outdated_loads();
    sum.freed += p.freed();
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (argc < 2) {
        std::fputs("usage: soak_host REQUESTS [FIRST_SEED]\n", stderr);
        return 2;
    }
    const std::uint64_t wanted = std::strtoull(argv[1], nullptr, 10);
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    totals sum;
    for (; sum.requests < wanted; ++seed) {
        std::string wrong;
        try {
            wrong = run(seed, sum);
        } catch (const std::exception& e) { wrong = e.what(); }
        if (wrong.empty()) continue;
        std::fprintf(stderr, "soak_host: wrong with seed %llu: %s\nagain by: soak_host 1 %llu\n",
                     static_cast<unsigned long long>(seed), wrong.c_str(), static_cast<unsigned long long>(seed));
        return 1;
    }
    sum.print();
    if (wanted < 1'000'000 || sum.has_met_all()) return 0;
    std::fputs("soak_host: something has never come up\n", stderr);
    return 1;
}
