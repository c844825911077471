// SPDX-License-Identifier: Apache-2.0
// A platform that does almost nothing and reports every kind of item, for the tests of the command line.
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>

#include <CLI/App.hpp>

#include "face/platform.h"

namespace {

namespace core = contraflow::core;
namespace config = contraflow::config;
namespace face = contraflow::face;

enum class ending {
    finish,
    lose_one,
    no_progress,
    crash,
    crash_oddly,
    out_of_memory,
    unfit,
    hard_at_work,
    run_on,
    deaf,
    no_room,
    time_up
};

struct link_spec {
    unsigned width = 16;
    core::bytes packet{256};
    static void describe(config::fields<link_spec>& f) {
        f("width", &link_spec::width).in(1, 32).unit("lanes").text("lanes of the link");
        f("packet", &link_spec::packet).in(core::bytes{64}, core::bytes{4096}).text("what one packet carries");
    }
};

struct tiny_spec {
    std::uint64_t seed = 7;
    unsigned packets = 100;
    ending end = ending::finish;
    link_spec link;
    static void describe(config::fields<tiny_spec>& f);
};

}  // namespace

template <> struct contraflow::config::enum_names<ending> {
    static constexpr std::array names{std::pair{ending::finish, "finish"},
                                      std::pair{ending::lose_one, "lose_one"},
                                      std::pair{ending::no_progress, "no_progress"},
                                      std::pair{ending::crash, "crash"},
                                      std::pair{ending::crash_oddly, "crash_oddly"},
                                      std::pair{ending::out_of_memory, "out_of_memory"},
                                      std::pair{ending::unfit, "unfit"},
                                      std::pair{ending::hard_at_work, "hard_at_work"},
                                      std::pair{ending::run_on, "run_on"},
                                      std::pair{ending::deaf, "deaf"},
                                      std::pair{ending::no_room, "no_room"},
                                      std::pair{ending::time_up, "time_up"}};
};

namespace {

void tiny_spec::describe(config::fields<tiny_spec>& f) {
    f("seed", &tiny_spec::seed).text("seed of the latencies");
    f("packets", &tiny_spec::packets).in(0, 1'000'000).text("packets to send");
    f("end", &tiny_spec::end).text("how the run ends");
    f("link", &tiny_spec::link).text("the only link");
}

// What happens to the writer of a mapped file when the disk is full: there is nothing behind its page.
void write_past_the_end(const std::filesystem::path& file) {
    const int f = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    *static_cast<volatile char*>(page) = 1;
}

class tiny final : public face::platform<tiny_spec> {
public:
    std::string_view name() const override { return "tiny"; }
    std::string_view summary() const override { return "Sends packets nowhere."; }
    void options(CLI::App& app) override { app.add_option("--cases", cases_, "a file of cases")->option_text("FILE"); }
    void prepare(config::loaded<tiny_spec>& spec, config::diagnostics& diag) override {
        if (spec.value.packets == 13) diag.error(spec.where("packets"), "13 packets bring bad luck");
        if (spec.value.packets == 14) diag.warning(spec.where("packets"), "14 packets are many");
    }
    int run(const config::loaded<tiny_spec>& spec, face::run_context& context) override {
        if (spec.value.end == ending::crash) throw std::runtime_error("first line\nsecond line");
        if (spec.value.end == ending::crash_oddly) throw 42;
        if (spec.value.end == ending::out_of_memory) throw std::bad_alloc();
        if (spec.value.end == ending::unfit)
            throw face::configuration_error({"3 packets don't fit", {{"link.packet", "at most 2B"}, {"packets", "2"}}});
        if (context.out()) std::ofstream(*context.out() / "extra.json") << "{}\n";
        if (spec.value.end == ending::time_up) return face::exit_stopped;
        if (spec.value.end == ending::deaf) {
            context.out_stream() << "running" << std::endl;
            for (;;) std::ofstream(*context.out() / "busy") << "adding files all the time\n";
        }
        if (spec.value.end == ending::no_room) write_past_the_end(*context.out() / "mapped");
        if (spec.value.end == ending::hard_at_work) {
            context.out_stream() << "running" << std::endl;
            if (!context.carry_out([this] {
                    for (;;) counted_ = counted_ + 1;
                }))
                return face::exit_stopped;
        }
        if (spec.value.end == ending::run_on) {
            context.out_stream() << "running" << std::endl;
            for (std::uint64_t i = 0; context.keep_going(); ++i) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                context.progress(core::sim_time::from_ns(i * 100), i * 1000, 10'000'000, "packets");
            }
        }
        fill(spec.value, context);
        context.count_callbacks(1234);
        return spec.value.end == ending::no_progress ? face::exit_no_progress : face::exit_ok;
    }

private:
    static void fill(const tiny_spec& spec, face::run_context& context);
    std::string cases_;
    volatile std::uint64_t counted_ = 0;
};

void tiny::fill(const tiny_spec& spec, face::run_context& context) {
    if (auto* trace = context.trace()) trace->slice(trace->track("tiny", "link"), "packet", {0}, {1000});
    if (auto* waves = context.waves()) waves->set(waves->add("tiny.busy", 1), {1000}, 1);

    std::mt19937_64 random(context.seed());
    face::report_data& report = context.report();
    report.title = "packets to nowhere";
    report.levels = {{"link", "imagined"}};
    report.headline = {"The first packet took " + std::to_string(random() % 1000) + " ns."};
    face::table times{"times", "Times", {{"packet"}, {"time", "ns"}, {"hops"}}, {}, "Of the first packets only."};
    for (std::int64_t i = 0; i < 3; ++i) {
        times.rows.push_back({"p" + std::to_string(i), static_cast<double>(random() % 1000) / 7, i * 10'000});
    }
    face::chart curve{"curve", "Curve", face::chart::kind::step, {"packet"}, {"time", "ns", true}};
    curve.series = {{"times", {{0, 1.5}, {1, 2.5}, {2, std::numeric_limits<double>::quiet_NaN()}}}};
    curve.marks = {{1, 2.5, "here"}};
    face::chart bars{"bars", "Bars", face::chart::kind::stacked_bar, {"kind"}, {"count"}, {"a", "b"}};
    bars.series = {{"one", {{0, 3}, {1, 4}}}};
    face::timeline line{"line", "Line", {"time", "ns"}, {"link"}, {{"link", "p0", "busy", "", 0, 12.5}}};
    face::tree_view tree{"tree", "Tree", {"root", "root complex"}};
    tree.root.children = {{"leaf", "endpoint", "GPU", "x16", 0.5, 1, "", "share", {}}};
    report.sections = {{"all",
                        "All",
                        {face::text_block{"Some text."}, times, curve, bars, line, tree,
                         face::steps{"steps", "Steps", {"send", "wait"}}}}};
    report.statistics = {{"link.latency", "mean", "ns", "time of a packet", 0.1},
                         {"link.odd,\"name\"", "count", "packets", "to be quoted", 3}};
    report.conservation = {{"packets", "packets", spec.packets, spec.packets - (spec.end == ending::lose_one ? 1 : 0)}};
    report.results["packets"] = spec.packets;
    report.results["bytes"] = spec.packets * spec.link.packet.count;
}

}  // namespace

int main(int argc, char** argv) {
    tiny platform;
    return face::main(argc, argv, platform);
}
