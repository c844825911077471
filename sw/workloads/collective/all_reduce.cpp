// SPDX-License-Identifier: Apache-2.0
// Every GPU has a vector, and gets the sum of all vectors: by parts of the vector around a ring, or up and down a
// binary tree. A GPU pulls from its partner's memory and adds to its own. A step is a launch: its end orders the steps
// between the GPUs. Flags in memory would need running CTAs on all GPUs at the same time, which no launch guarantees.
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/placement.h"

namespace contraflow::workloads {
namespace {
enum class reduction { ring, tree };
}
}  // namespace contraflow::workloads

template <> struct contraflow::config::enum_names<contraflow::workloads::reduction> {
    static constexpr std::array names{std::pair{contraflow::workloads::reduction::ring, "ring"},
                                      std::pair{contraflow::workloads::reduction::tree, "tree"}};
};

namespace contraflow::workloads {
namespace {

using namespace gpu;

struct all_reduce_spec {
    std::uint64_t n = 16 << 10;
    reduction way = reduction::ring;
    std::uint32_t sockets = 4;
    std::uint32_t ctas = 16;
    std::uint32_t block = 256;
    std::uint64_t seed = 1;

    static void describe(config::fields<all_reduce_spec>& f) {
        f("n", &all_reduce_spec::n).in(1, 1 << 30).text("elements of a vector, of 4 bytes");
        f("way", &all_reduce_spec::way)
            .text("ring: 2 (sockets - 1) steps with 1/sockets of a vector; tree: 2 "
                  "log2(sockets) steps, rounded up, with a whole one");
        f("sockets", &all_reduce_spec::sockets).in(1, 64).text("sockets of the machine, with one vector each");
        f("ctas", &all_reduce_spec::ctas).in(1, 1 << 16).text("CTAs of each socket");
        f("block", &all_reduce_spec::block).in(32, 1024).unit("threads").text("threads of a CTA");
        f("seed", &all_reduce_spec::seed).text("seed of the vectors");
    }
};

class all_reduce_workload final : public workload_if {
public:
    using spec = all_reduce_spec;

    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.n = 1 << 20;
            s.ctas = 128;
        }
        return s;
    }
    explicit all_reduce_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        for (std::uint32_t g = 0; g < spec_.sockets; ++g) vectors_.push_back(memory.allocate<std::uint32_t>(spec_.n));
    }
    host_task run(gpu_system_if& gpu) override {
        co_await gpu.launch(
            {"initialise", spec_.sockets * spec_.ctas, spec_.block, this, &all_reduce_workload::initialise});
        if (spec_.way == reduction::ring)
            co_await ring(gpu);
        else
            co_await tree(gpu);
    }
    std::string verify(device_memory& memory) override {
        std::vector<std::uint32_t> sum(spec_.n);
        for (std::uint32_t g = 0; g < spec_.sockets; ++g)
            for (std::uint64_t i = 0; i < spec_.n; ++i) sum[i] += element(g, i);
        for (std::uint32_t g = 0; g < spec_.sockets; ++g)
            if (auto wrong = difference(fmt::format("vector {}", g), memory.read(vectors_[g]), sum); !wrong.empty())
                return wrong;
        return {};
    }

private:
    // A part of a partner's vector that a GPU takes.
    struct transfer {
        std::uint32_t from;
        run_of_indices part;
        bool add;  // true: adds to its own vector; false: replaces its own
    };

    std::uint32_t element(std::uint32_t g, std::uint64_t i) const {
        return static_cast<std::uint32_t>(input_word(spec_.seed + g, i) >> 32);
    }
    std::uint32_t gpu_of(wave w) const { return static_cast<std::uint32_t>(w.cta() / spec_.ctas); }
    // The share of its GPU's part that a CTA works on.
    run_of_indices share(wave w, const run_of_indices& part) const {
        const auto mine = part_of(part.end - part.begin, w.cta() % spec_.ctas, spec_.ctas);
        return {part.begin + mine.begin, part.begin + mine.end};
    }

    host_task ring(gpu_system_if& gpu);
    host_task tree(gpu_system_if& gpu);
    transfer around(std::uint32_t g, std::uint32_t step, bool add) const;
    kernel initialise(wave w);
    kernel move(wave w, transfer t) const;

    const spec spec_;
    std::vector<array<std::uint32_t>> vectors_;
};

kernel all_reduce_workload::initialise(wave w) {
    const std::uint32_t g = gpu_of(w);
    const auto mine = share(w, {0, spec_.n});
    for (std::uint64_t first = mine.begin; first < mine.end; first += spec_.block) {
        const auto i = w.local_ids() + first;
        co_await w.store(vectors_[g], i, map([&](std::uint64_t k) { return element(g, k); }, i), i < mine.end);
    }
}

kernel all_reduce_workload::move(wave w, transfer t) const {
    const auto mine = share(w, t.part);
    const auto& own = vectors_[gpu_of(w)];
    for (std::uint64_t first = mine.begin; first < mine.end; first += spec_.block) {
        const auto i = w.local_ids() + first;
        const mask in = i < mine.end;
        const auto [theirs, ours] =
            co_await w.all(w.load(vectors_[t.from], i, in), w.load(own, i, t.add ? in : mask()));
        w.work(1);
        co_await w.store(own, i, theirs + ours, in);
    }
}

// In `step`, GPU g takes part g - 1 - step from the previous GPU, which worked on it in the previous step. In the
// second phase, when each part is complete on one GPU, it takes part g - step.
all_reduce_workload::transfer all_reduce_workload::around(std::uint32_t g, std::uint32_t step, bool add) const {
    const std::uint32_t p = spec_.sockets;
    const std::uint32_t part = (g + 2 * p - step - (add ? 1 : 0)) % p;
    return {(g + p - 1) % p, part_of(spec_.n, part, p), add};
}

host_task all_reduce_workload::ring(gpu_system_if& gpu) {
    for (const bool add : {true, false})
        for (std::uint32_t step = 0; step + 1 < spec_.sockets; ++step)
            co_await gpu.launch({add ? "reduce" : "gather", spec_.sockets * spec_.ctas, spec_.block,
                                 [this, step, add](wave w) { return move(w, around(gpu_of(w), step, add)); }});
}

host_task all_reduce_workload::tree(gpu_system_if& gpu) {
    const run_of_indices whole{0, spec_.n}, nothing{0, 0};
    std::uint32_t apart = 1;
    // In each remaining pair, the upper GPU adds its sum to the lower one's.
    for (; apart < spec_.sockets; apart *= 2)
        co_await gpu.launch({"reduce", spec_.sockets * spec_.ctas, spec_.block, [=, this](wave w) {
                                 const std::uint32_t g = gpu_of(w);
                                 const bool takes = g % (2 * apart) == 0 && g + apart < spec_.sockets;
                                 return move(w, {takes ? g + apart : g, takes ? whole : nothing, true});
                             }});
    while ((apart /= 2) != 0)
        co_await gpu.launch({"spread", spec_.sockets * spec_.ctas, spec_.block, [=, this](wave w) {
                                 const std::uint32_t g = gpu_of(w);
                                 const bool takes = g % (2 * apart) == apart;
                                 return move(w, {takes ? g - apart : g, takes ? whole : nothing, false});
                             }});
}

}  // namespace

workload_entry all_reduce() {
    return entry_of<all_reduce_workload>("all_reduce", "the sum of all sockets' vectors for all, by ring or by tree",
                                         "all-reduce of NCCL and RCCL, gradients in training", suite::gpus);
}

}  // namespace contraflow::workloads
