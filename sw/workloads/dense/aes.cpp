// SPDX-License-Identifier: Apache-2.0
// AES-256 over many independent blocks of 16 bytes (ECB). Tables in the scratchpad combine the substitution and mixing
// of a column in one look-up per byte. The key and the first block are those of FIPS-197, C.3, whose result is
// published; the host encrypts all blocks byte by byte, without the tables.
// Source of the tables: Daemen, Rijmen: AES Proposal: Rijndael, 1999, 5.2.1.
#include <bit>

#include "workloads/dense/aes256.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/staging.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;
using words = per_thread<std::uint32_t>;

constexpr aes256::key published_key{0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f,
                                    0x10111213, 0x14151617, 0x18191a1b, 0x1c1d1e1f};
constexpr aes256::block published_text{0x00112233, 0x44556677, 0x8899aabb, 0xccddeeff};
constexpr aes256::block published_cipher{0x8ea2b7ca, 0x516745bf, 0xeafc4990, 0x4b496089};

class aes_workload final : public workload_if {
public:
    struct spec : thread_spec {
        std::uint64_t blocks = 4 << 10;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("blocks", &spec::blocks).in(1, 1 << 28).text("blocks of 16 bytes, a thread each");
            f("seed", &spec::seed).text("seed of the text behind the first block");
            describe_threads(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.blocks = 256 << 10;
        return s;
    }
    explicit aes_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    static constexpr std::size_t byte_values = 256;

    std::uint32_t text_word(std::uint64_t i) const {
        return i < published_text.size() ? published_text[i]
                                         : static_cast<std::uint32_t>(input_word(spec_.seed, i) >> 32);
    }
    kernel initialise(wave w);
    kernel encrypt(wave w);

    const spec spec_;
    array<std::uint32_t> text_, cipher_;
    array<std::uint32_t> schedule_;
    array<std::uint32_t> columns_;  // by the first byte of a column: its contribution to the mixed column
    array<std::uint32_t> box_;      // for the last round, which mixes nothing
};

void aes_workload::prepare(device_memory& memory) {
    text_ = memory.allocate<std::uint32_t>(spec_.blocks * aes256::block_words);
    cipher_ = memory.allocate<std::uint32_t>(spec_.blocks * aes256::block_words);
    const auto schedule = aes256::expand(published_key);
    schedule_ = memory.upload(std::vector<std::uint32_t>(schedule.begin(), schedule.end()));
    std::vector<std::uint32_t> columns, box;
    for (const std::uint8_t s : aes256::s_box()) {
        columns.push_back(std::uint32_t{aes256::product(2, s)} << 24 | std::uint32_t{s} << 16 | std::uint32_t{s} << 8 |
                          aes256::product(3, s));
        box.push_back(s);
    }
    columns_ = memory.upload(columns);
    box_ = memory.upload(box);
}

host_task aes_workload::run(gpu_system_if& gpu) {
    const std::uint32_t ctas = spec_.ctas_for(spec_.blocks);
    const core::bytes tables{(aes256::schedule_words + 2 * byte_values) * sizeof(std::uint32_t)};
    co_await gpu.launch({"initialise", ctas, spec_.block, this, &aes_workload::initialise});
    co_await gpu.launch({"encrypt", ctas, spec_.block, this, &aes_workload::encrypt, tables});
}

kernel aes_workload::initialise(wave w) {
    for (auto i : w.own(text_.size()))
        co_await w.store(text_, i, map([this](std::uint64_t k) { return text_word(k); }, i));
}

kernel aes_workload::encrypt(wave w) {
    static_assert(aes256::block_words == 4);
    const auto key = w.shared<std::uint32_t>(aes256::schedule_words);
    const auto columns = w.shared<std::uint32_t>(byte_values), box = w.shared<std::uint32_t>(byte_values);
    co_await stage(w, schedule_, key);
    co_await stage(w, columns_, columns);
    co_await stage(w, box_, box);
    for (auto b : w.own(spec_.blocks)) {
        const auto at = b * aes256::block_words;
        const auto [t0, t1, t2, t3] =
            co_await w.all(w.load(text_, at), w.load(text_, at + 1), w.load(text_, at + 2), w.load(text_, at + 3));
        std::array<words, aes256::block_words> state{t0 ^ key[0], t1 ^ key[1], t2 ^ key[2], t3 ^ key[3]};
        for (unsigned round = 1; round <= aes256::rounds; ++round) {
            const bool last = round == aes256::rounds;
            std::array<words, aes256::block_words> next;
            for (unsigned c = 0; c < aes256::block_words; ++c) {
                next[c] = key[round * aes256::block_words + c];
                for (unsigned row = 0; row < 4; ++row) {
                    const auto byte = state[(c + row) % aes256::block_words] >> (24 - 8 * row) & 0xffu;
                    const auto share = w.read(last ? box : columns, byte);
                    // The tables of the other bytes are the first table, rotated by their row.
                    next[c] ^=
                        last ? words(share << (24 - 8 * row))
                             : map([row](std::uint32_t s) { return std::rotr(s, static_cast<int>(8 * row)); }, share);
                }
            }
            w.work(aes256::block_words * 4 * 3);  // for each look-up: a shift, a mask, a sum
            state = next;
        }
        co_await w.all(w.store(cipher_, at, state[0]), w.store(cipher_, at + 1, state[1]),
                       w.store(cipher_, at + 2, state[2]), w.store(cipher_, at + 3, state[3]));
    }
}

std::string aes_workload::verify(device_memory& memory) {
    const auto schedule = aes256::expand(published_key);
    std::vector<std::uint32_t> cipher(published_cipher.begin(), published_cipher.end());
    for (std::uint64_t b = 1; b < spec_.blocks; ++b) {
        aes256::block text{};
        for (unsigned i = 0; i < aes256::block_words; ++i) text[i] = text_word(b * aes256::block_words + i);
        for (const std::uint32_t word : aes256::encrypt(text, schedule)) cipher.push_back(word);
    }
    return difference("cipher", memory.read(cipher_), cipher);
}

}  // namespace

workload_entry aes() {
    return entry_of<aes_workload>("aes", "AES-256 over independent blocks by tables in the scratchpad",
                                  "AES of Hetero-Mark, ciphers and hashes", suite::gpus);
}

}  // namespace contraflow::workloads
