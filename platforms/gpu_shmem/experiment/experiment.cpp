// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/experiment/experiment.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/counted.h"
#include "gpu/dispatch/cta_too_large.h"
#include "memory/vm/page_table.h"

namespace contraflow::gpu_shmem {
namespace {

// Queue pairs to the other PEs that a run needs at each NIC: those of contexts, and those of the host's program.
std::uint64_t queue_pairs(const program_variant& v, unsigned workgroups) {
    return std::uint64_t{by_kernels(v.how) ? workgroups : 2} * (v.nodes - 1);
}

std::string names_of_mistakes() {
    std::vector<std::string_view> names;
    for (const auto& [mistake, name] : config::enum_names<mistake_kind>::names)
        if (mistake != mistake_kind::none) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// The key that says how many nodes there are.
std::string nodes_key(const experiment& e, unsigned nodes) {
    const auto place = std::ranges::find(e.on_nodes, nodes);
    return place == e.on_nodes.end() ? "nodes" : fmt::format("on_nodes[{}]", place - e.on_nodes.begin());
}

void check_queues(const experiment& e, const program_variant& v, unsigned workgroups, const std::string& key,
                  std::vector<config::problem>& found) {
    const nic::queue_pair_spec& nic = e.cluster.node.nic;
    const std::uint64_t needed = queue_pairs(v, workgroups);
    if (needed <= nic.queues) return;
    config::problem p{fmt::format("{} with {} on {} needs {} a NIC, and it has {}", config::name_of(v.how),
                                  core::counted(workgroups, "workgroup"), core::counted(v.nodes, "node"),
                                  core::counted(needed, "queue pair"), nic.queues),
                      {}};
    const auto suggest = [&p](std::string path, std::string_view form, std::uint64_t number) {
        p.suspects.push_back({std::move(path), fmt::format("{} {}", form, number)});
    };
    if (needed <= nic::queue_pair_spec::most_queues) suggest("node.nic.queues", "at least", needed);
    if (const auto most = nic.queues / (v.nodes - 1); most > 0 && by_kernels(v.how)) suggest(key, "at most", most);
    if (const auto most = 1 + nic.queues / (needed / (v.nodes - 1)); most > 1)
        suggest(nodes_key(e, v.nodes), "at most", most);
    found.push_back(std::move(p));
}

// Regions that are registered at each NIC: the control page, the heap, and by the host the flags.
void check_regions(const experiment& e, scheme how, std::vector<config::problem>& found) {
    const std::uint32_t needed = by_kernels(how) ? 2 : 3, has = e.cluster.node.nic.regions;
    if (needed > has)
        found.push_back({fmt::format("{} registers {} at each NIC, and it has {}", config::name_of(how),
                                     core::counted(needed, "region"), has),
                         {{"node.nic.regions", fmt::format("at least {}", needed)}}});
}

// Of a program that says what it needs before it runs. `fits`: a value of the key with which it would fit; empty: none.
void check_heap(const experiment& e, const shmem::program_if& program, unsigned nodes, const std::string& what,
                const std::string& key, const std::string& fits, std::vector<config::problem>& found) {
    const auto need = shmem::scheme_run::heap_need_of(program, nodes);
    const auto check = [&](core::bytes has, std::uint64_t needed, const char* heap) {
        if (has.count == 0 || needed <= has.count) return;
        config::problem p{
            fmt::format("{}: {} of {} are needed, and it has {}", what, core::to_text(core::bytes{needed}),
                        std::string_view(heap) == "shmem.heap" ? "the symmetric heap" : "its cached part",
                        core::to_text(has)),
            {{heap, fmt::format("at least {}, or 0B for as much as is needed", core::to_text(core::bytes{needed}))}}};
        if (!fits.empty()) p.suspects.push_back({key, fits});
        found.push_back(std::move(p));
    };
    check(e.shmem.heap, need.uncached, "shmem.heap");
    if (need.cached != 0) check(e.shmem.cached_heap, need.cached, "shmem.cached_heap");
}

// How many pairs of that many bytes fit into the heap, beside flags and gaps.
std::uint64_t pairs_in_heap(const experiment& e, std::uint64_t bytes) {
    constexpr std::uint64_t beside = 8192;
    return e.shmem.heap.count < beside ? 0 : (e.shmem.heap.count - beside) / (2 * bytes);
}

// A value that is in a list twice would run twice.
template <class T, class Text>
void check_once(const std::vector<T>& list, const std::string& key, Text text, std::vector<config::problem>& found) {
    for (std::size_t i = 0; i < list.size(); ++i)
        if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) !=
            list.begin() + static_cast<std::ptrdiff_t>(i))
            found.push_back({fmt::format("{} is in the list already", text(list[i])),
                             {{fmt::format("{}[{}]", key, i), "each once"}}});
}

void check_lists(const experiment& e, std::vector<config::problem>& found) {
    const auto number = [](unsigned n) { return std::to_string(n); };
    const auto size = [](core::bytes b) { return core::to_text(b); };
    check_once(
        e.schemes, "schemes", [](scheme s) { return std::string(config::name_of(s)); }, found);
    check_once(e.on_nodes, "on_nodes", number, found);
    check_once(e.puts.sizes, "puts.sizes", size, found);
    check_once(e.puts.workgroups, "puts.workgroups", number, found);
    check_once(e.all_reduce.sizes, "all_reduce.sizes", size, found);
    check_once(
        e.all_reduce.ways, "all_reduce.ways", [](shmem::reduction_way w) { return std::string(config::name_of(w)); },
        found);
}

// A value without effect is an error, because its author expected an effect.
void check_effects(const experiment& e, std::vector<config::problem>& found) {
    using enum experiment_kind;
    const auto refuse = [&](bool has_none, std::string_view what, std::string key, std::string allowed,
                            std::string_view experiments) {
        if (has_none)
            found.push_back({fmt::format("{} has no effect on {}", what, config::name_of(e.kind)),
                             {{std::move(key), std::move(allowed)}, {"experiment", std::string(experiments)}}});
    };
    const bool puts = e.kind == put_latency || e.kind == nodes;
    const bool scales = e.kind == jacobi || e.kind == triangular_solve || e.kind == all_reduce || e.kind == bfs;
    refuse(!e.on_nodes.empty() && !scales, "a list of numbers of nodes", "on_nodes", "[]",
           "jacobi, triangular_solve, all_reduce, bfs");
    refuse(e.strong && e.kind != jacobi, "strong scaling", "strong", "false", "jacobi");
    refuse(e.mistake != mistake_kind::none && e.kind != mistake, "a mistake", "mistake", "none", "mistake");
    if (e.mistake == mistake_kind::none && e.kind == mistake)
        found.push_back({"no mistake to make", {{"mistake", names_of_mistakes()}}});
    refuse(!e.puts.awaited && !puts, "puts.awaited", "puts.awaited", "true", "put_latency, nodes");
    if (e.shmem.helpers != 0 && (e.kind == mistake || std::ranges::find(e.schemes, scheme::ikn) == e.schemes.end()))
        found.push_back({"threads of the host serve kernels in ikn only, which does not run",
                         {{"shmem.helpers", "0"}, {"schemes", "with ikn"}}});
}

void check_puts(const experiment& e, std::vector<config::problem>& found) {
    if (e.puts.sizes.empty()) found.push_back({"there is no size to run", {{"puts.sizes", "one size or more"}}});
    if (e.puts.workgroups.empty())
        found.push_back({"there is no number of workgroups to run", {{"puts.workgroups", "one number or more"}}});
    if (!e.puts.awaited && !std::ranges::all_of(e.schemes, shmem::by_kernels))
        found.push_back(
            {"only kernels put without awaiting: gio and ikn", {{"schemes", "gio, ikn"}, {"puts.awaited", "true"}}});
    for (const put_variant& v : put_variants_of(e)) {
        check_queues(e, {v.how, e.cluster.nodes}, v.workgroups, "puts.workgroups", found);
        const std::uint64_t most = pairs_in_heap(e, v.size.count * v.workgroups);
        check_heap(e, shmem::put_latency(puts_of(e, v)), e.cluster.nodes,
                   fmt::format("{} of {} by {}", core::counted(e.puts.puts, "put"), core::to_text(v.size),
                               core::counted(v.workgroups, "workgroup")),
                   "puts.puts", most < 2 ? "" : fmt::format("at most {}", most), found);
        if (!found.empty()) return;
    }
}

void check_schemes(const experiment& e, std::vector<config::problem>& found) {
    if (computing_schemes_of(e).empty())
        found.push_back({"no scheme of a program that computes is left: kernels of inter_k_empty do nothing",
                         {{"schemes", "one of gio, ikn, inter_k, inter_k_overlap, cpu"}}});
}

// The host computes a step without moving anything, which must not look like a hang.
void check_host_time(const experiment& e, scheme how, core::bytes moved, std::string_view what,
                     std::vector<config::problem>& found) {
    const core::sim_time step = e.host.memory.time_of(moved);
    if (how != scheme::cpu || e.watchdog >= step * 2) return;
    found.push_back({fmt::format("the host computes {} in {}: more than half of watchdog, {}", what,
                                 core::to_text(step), core::to_text(e.watchdog)),
                     {{"watchdog", "at least " + core::to_text(step * 2)}, {"schemes", "without cpu"}}});
}

// By kernels, whose workgroups wait for each other: all must be in the units at a time.
void check_resident(const experiment& e, unsigned workgroups, unsigned threads, const std::string& key,
                    std::vector<config::problem>& found) {
    const auto& gpu = e.cluster.node.gpu.values;
    const unsigned waves = (threads + gpu.unit.wave_width - 1) / gpu.unit.wave_width;
    const unsigned a_unit = std::min(gpu.unit.cta_slots, gpu.unit.wave_slots / waves);
    const std::uint64_t most = std::uint64_t{gpu.units} * a_unit;
    if (a_unit == 0 || workgroups <= most) return;  // too large a workgroup is told where it is launched
    found.push_back({fmt::format("{} of {} wait for each other, and the GPU has room for {} at a time",
                                 core::counted(workgroups, "workgroup"), core::counted(threads, "thread"), most),
                     {{key, fmt::format("at most {}", most)}}});
}

// Nothing moves in that time, which must not look like a hang. `what` happens in it: "packets are sent again after
// 1us".
void check_still(const experiment& e, core::sim_time still, std::string_view what, const std::string& key,
                 std::vector<config::problem>& found) {
    if (e.watchdog >= still * 2) return;
    found.push_back(
        {fmt::format("{} {}: more than half of watchdog, {}", what, core::to_text(still), core::to_text(e.watchdog)),
         {{key, "at most " + core::to_text(core::sim_time{e.watchdog.ps / 2})},
          {"watchdog", "at least " + core::to_text(still * 2)}}});
}

void check_jacobi_by(const experiment& e, scheme how, std::vector<config::problem>& found) {
    if (e.jacobi.workgroups > e.jacobi.rows)
        found.push_back({fmt::format("{} share {}, and each needs one", core::counted(e.jacobi.workgroups, "workgroup"),
                                     core::counted(e.jacobi.rows, "row")),
                         {{"jacobi.workgroups", fmt::format("at most {}", e.jacobi.rows)},
                          {"jacobi.rows", fmt::format("at least {}", e.jacobi.workgroups)}}});
    if (e.jacobi.cached_halos && by_kernels(how))
        found.push_back({fmt::format("with {} a kernel reads rows that NICs have written since it began: it would find "
                                     "old ones in its cache",
                                     config::name_of(how)),
                         {{"jacobi.cached_halos", "false"}, {"schemes", "inter_k, inter_k_overlap, cpu"}}});
    check_queues(e, {how, e.cluster.nodes}, e.jacobi.workgroups, "jacobi.workgroups", found);
    if (by_kernels(how)) check_resident(e, e.jacobi.workgroups, e.jacobi.threads, "jacobi.workgroups", found);
    if (!found.empty()) return;
    check_heap(e, shmem::jacobi(e.jacobi), e.cluster.nodes, fmt::format("jacobi with {} columns", e.jacobi.columns), "",
               "", found);
    check_host_time(e, how, e.jacobi.host_bytes(), "a step of jacobi", found);
}

void check_jacobi(const experiment& e, std::vector<config::problem>& found) {
    check_schemes(e, found);
    if (e.strong && e.on_nodes.empty())
        found.push_back({"strong scaling is over several numbers of nodes, and none are given",
                         {{"on_nodes", "one number or more"}, {"strong", "false"}}});
    for (const program_variant& v : variants_of(e)) {
        if (!found.empty()) return;
        if (e.strong && e.jacobi.rows % v.nodes != 0)
            found.push_back({fmt::format("{} share {}, and each has as many", core::counted(v.nodes, "node"),
                                         core::counted(e.jacobi.rows, "row")),
                             {{"jacobi.rows", fmt::format("a multiple of {}", v.nodes)}, {"strong", "false"}}});
        else if (e.strong && e.jacobi.rows / v.nodes < 2)
            found.push_back({fmt::format("{} on {} are less than two each", core::counted(e.jacobi.rows, "row"),
                                         core::counted(v.nodes, "node")),
                             {{"jacobi.rows", fmt::format("at least {}", 2 * v.nodes)}}});
        else
            check_jacobi_by(with_nodes(e, v.nodes), v.how, found);
    }
}

// Of a program that puts at any time.
void check_kernels(const experiment& e, unsigned workgroups, const std::string& key,
                   std::vector<config::problem>& found) {
    const auto variants = kernel_variants_of(e);
    if (variants.empty())
        found.push_back(
            {"the program puts whenever its data are ready, which only kernels can", {{"schemes", "with gio or ikn"}}});
    for (const program_variant& v : variants) {
        if (!found.empty()) return;
        check_queues(e, v, workgroups, key, found);
    }
}

void check_triangular_solve(const experiment& e, std::vector<config::problem>& found) {
    found = config::below("triangular_solve.matrix", workloads::problems_of(e.triangular_solve.matrix.values));
    check_kernels(e, e.triangular_solve.workgroups, "triangular_solve.workgroups", found);
}

void check_all_reduce(const experiment& e, std::vector<config::problem>& found) {
    const all_reduce_spec& a = e.all_reduce;
    if (a.sizes.empty()) found.push_back({"there is no size to run", {{"all_reduce.sizes", "one size or more"}}});
    if (a.ways.empty()) found.push_back({"there is no way to run", {{"all_reduce.ways", "ring, tree or both"}}});
    for (std::size_t i = 0; i < a.sizes.size(); ++i)
        if (a.sizes[i].count % sizeof(float) != 0)
            found.push_back({fmt::format("{} are no whole number of floats", core::to_text(a.sizes[i])),
                             {{fmt::format("all_reduce.sizes[{}]", i), "a multiple of 4B"}}});
    const auto variants = adding_variants_of(e);
    if (variants.empty())
        found.push_back({"no scheme is left: something has to be added, and nothing can be done beside it",
                         {{"schemes", "one of gio, ikn, inter_k, cpu"}}});
    for (const program_variant& v : variants) {
        if (v.nodes < 2)
            found.push_back({"all_reduce on one node has nothing to reduce", {{nodes_key(e, v.nodes), "2 to 1024"}}});
        if (!found.empty()) return;
        check_queues(e, v, a.workgroups, "all_reduce.workgroups", found);
    }
    for (const all_reduce_variant& v : all_reduce_variants_of(e)) {
        if (!found.empty()) return;
        const shmem::all_reduce program(all_reduce_of(e, v), v.nodes, by_kernels(v.how));
        check_heap(e, program, v.nodes, "all_reduce, " + v.text(), "", "", found);
        check_host_time(e, v.how, {3 * v.size.count}, "the sum of two vectors", found);
    }
}

}  // namespace

void all_reduce_spec::describe(config::fields<all_reduce_spec>& f) {
    f("sizes", &all_reduce_spec::sizes)
        .in(core::bytes{4}, core::bytes{256u << 20})
        .text("bytes of each PE's vector of floats, a run each");
    f("ways", &all_reduce_spec::ways).text("ring: parts go round; tree: whole vectors go up and down; a run each");
    f("chunk", &all_reduce_spec::chunk)
        .in(core::bytes{4}, core::bytes{256u << 20})
        .text("by kernels: a workgroup puts what it has of a phase in pieces of at most so much, rounded up to whole "
              "floats; a piece needs the same piece of the phase before only");
    f("workgroups", &all_reduce_spec::workgroups).in(1, 1024).text("of a PE; by kernels, each has a slice of its own");
    f("threads", &all_reduce_spec::threads).in(1, 1024).text("of a workgroup");
}

void put_spec::describe(config::fields<put_spec>& f) {
    f("sizes", &put_spec::sizes).in(core::bytes{1}, core::bytes{64u << 20}).text("bytes of a put, a run each");
    f("workgroups", &put_spec::workgroups)
        .in(1, 1024)
        .text("workgroups of PE 0 that put at a time, each by a context of its own; a run each");
    f("puts", &put_spec::puts)
        .in(2, 100'000)
        .text("puts of a workgroup, one after the other; of awaited ones, the first one is not measured");
    f("threads", &put_spec::threads).in(1, 1024).text("of a workgroup");
    f("without_templates", &put_spec::without_templates).text("gio runs once more without templates");
    f("awaited", &put_spec::awaited)
        .text("each put is awaited before the next, which gives the latency; otherwise all of them at the end, which "
              "gives the rate");
}

void dead_pe::describe(config::fields<dead_pe>& f) {
    f("at", &dead_pe::at).text("from then on its PCIe stands still");
    f("pe", &dead_pe::pe).required().text("which one");
}

void experiment::describe(config::fields<experiment>& f) {
    f("experiment", &experiment::kind)
        .text(
            "put_latency: PE 0 puts to PE 1, and awaits each put; ping_pong: PE 1 answers each; jacobi: iterations on "
            "a grid that all PEs share; triangular_solve: a sparse triangular system whose rows are dealt out to the "
            "PEs; all_reduce: the sum of all PEs' vectors for all; bfs: a search whose vertices are dealt out to the "
            "PEs; nodes: put_latency, then jacobi; mistake: a kernel that does something wrong");
    f(
        "nodes", [](const experiment& e) -> auto& { return e.cluster.nodes; })
        .in(1, 1024)
        .text("nodes at the switch, a PE each; puts need two");
    f("on_nodes", &experiment::on_nodes)
        .in(1, 1024)
        .text("jacobi, triangular_solve, all_reduce, bfs: a run on each of these numbers of nodes; empty: on `nodes`");
    f(
        "node", [](const experiment& e) -> auto& { return e.cluster.node; })
        .text("what each node is made of");
    f(
        "network", [](const experiment& e) -> auto& { return e.cluster.network; })
        .text("the links to the switch");
    f("schemes", &experiment::schemes)
        .text("who communicates, a run each. gio: kernels; ikn: threads of the host for kernels; inter_k: the host "
              "between kernels; inter_k_empty: the same with kernels that do nothing (put_latency, nodes); "
              "inter_k_overlap: the host while a second kernel computes the interior; cpu: the host, without kernels");
    f("shmem", &experiment::shmem)
        .text("the library inside kernels; templates have the length of the experiment's messages");
    f("host", &experiment::host).text("the host's own puts and computing");
    f.renamed("jacobi.host_memory", "host.memory");
    f("puts", &experiment::puts).text("put_latency, nodes: the puts");
    f("ping_pong", &experiment::ping_pong).text("ping_pong: the puts");
    f("jacobi", &experiment::jacobi).text("jacobi, nodes: the grid and its iterations");
    f("strong", &experiment::strong)
        .text(
            "jacobi: jacobi.rows are those of the whole grid, and all PEs share them (strong scaling); otherwise each "
            "PE has as many (weak scaling)");
    f("triangular_solve", &experiment::triangular_solve)
        .text("triangular_solve: the system, and how its rows are dealt out");
    f("all_reduce", &experiment::all_reduce).text("all_reduce: the vectors, and how they are added up");
    f("bfs", &experiment::bfs).text("bfs: the graph that is searched");
    f("mistake", &experiment::mistake)
        .text("experiment mistake: what PE 0 does. put_outside_heap: a put past the symmetric heap; pe_out_of_range: a "
              "put to a PE that is none; doorbell_past_queue: it rings for more entries than its queue has; "
              "completions_not_taken: it never tells the NIC that it has taken completions; two_contexts: two "
              "workgroups create one context");
    f("dead", &experiment::dead).text("faults of each run, PEs that die");
    observe::watchdog_key::describe(f, &experiment::watchdog);
    f("seed", &experiment::seed)
        .text("seed of losses, of the order in the write combiners, of times in the data fabrics, and of all_reduce's "
              "vectors");
}

std::string put_variant::text() const {
    return fmt::format("{}{}", config::name_of(how), templates ? "" : ", no templates");
}

std::vector<put_variant> put_variants_of(const experiment& e) {
    std::vector<put_variant> all;
    for (const scheme how : e.schemes) {
        for (const bool templates : {true, false}) {
            if (!templates && !(how == scheme::gio && e.puts.without_templates && e.shmem.templates)) continue;
            for (const unsigned workgroups : e.puts.workgroups)
                for (const core::bytes size : e.puts.sizes)
                    all.push_back({how, templates && e.shmem.templates, size, workgroups});
        }
    }
    return all;
}

std::vector<scheme> computing_schemes_of(const experiment& e) {
    std::vector<scheme> all = e.schemes;
    std::erase(all, scheme::inter_k_empty);
    return all;
}

std::string program_variant::text() const {
    return fmt::format("{}, {}", config::name_of(how), core::counted(nodes, "node"));
}

std::vector<program_variant> variants_of(const experiment& e) {
    std::vector<program_variant> all;
    for (const scheme how : computing_schemes_of(e)) {
        if (e.on_nodes.empty()) all.push_back({how, e.cluster.nodes});
        for (const unsigned nodes : e.on_nodes) all.push_back({how, nodes});
    }
    return all;
}

std::vector<program_variant> kernel_variants_of(const experiment& e) {
    auto all = variants_of(e);
    std::erase_if(all, [](const program_variant& v) { return !by_kernels(v.how); });
    return all;
}

// There is nothing to do while the host communicates.
std::vector<program_variant> adding_variants_of(const experiment& e) {
    auto all = variants_of(e);
    std::erase_if(all, [](const program_variant& v) { return v.how == scheme::inter_k_overlap; });
    return all;
}

std::string all_reduce_variant::text() const {
    return fmt::format("{}, {}, {}", config::name_of(way), program_variant::text(), core::to_text(size));
}

std::vector<all_reduce_variant> all_reduce_variants_of(const experiment& e) {
    std::vector<all_reduce_variant> all;
    for (const shmem::reduction_way way : e.all_reduce.ways)
        for (const program_variant& v : adding_variants_of(e))
            for (const core::bytes size : e.all_reduce.sizes) all.push_back({v, way, size});
    return all;
}

shmem::all_reduce::spec all_reduce_of(const experiment& e, const all_reduce_variant& v) {
    const all_reduce_spec& a = e.all_reduce;
    const unsigned parts = v.way == shmem::reduction_way::ring ? v.nodes : 1;
    const std::uint64_t of_a_workgroup = v.size.count / parts / a.workgroups;
    const auto chunks =
        static_cast<unsigned>(std::max<std::uint64_t>(1, (of_a_workgroup + a.chunk.count - 1) / a.chunk.count));
    return {v.size.count / sizeof(float), v.way, chunks, a.workgroups, a.threads, e.seed};
}

experiment with_nodes(experiment e, unsigned nodes) {
    e.cluster.nodes = nodes;
    e.on_nodes.clear();
    if (std::exchange(e.strong, false)) e.jacobi.rows /= nodes;
    return e;
}

host::queue_pair_cluster::spec cluster_of(const experiment& e) {
    host::queue_pair_cluster::spec c = e.cluster;
    c.node.nic.loss.seed += e.seed - 1;
    c.node.gpu.values.ppb.seed += e.seed - 1;
    c.node.gpu.values.fabric.seed += e.seed - 1;
    return c;
}

shmem::scheme_run::spec scheme_of(const experiment& e, scheme how) {
    shmem::scheme_run::spec s;
    s.how = how;
    s.job = e.shmem;
    s.host = e.host;
    return s;
}

shmem::put_latency::spec puts_of(const experiment& e, const put_variant& v) {
    return {e.puts.puts, v.size, v.workgroups, e.puts.threads, e.puts.awaited};
}

shmem::scheme_run::spec scheme_of(const experiment& e, const put_variant& v) {
    shmem::scheme_run::spec s = scheme_of(e, v.how);
    s.job.templates = v.templates;
    s.job.template_bytes = v.size;
    return s;
}

std::vector<config::problem> problems_of(const experiment& e) {
    auto found = host::problems_of(e.cluster);
    if (!found.empty()) return found;
    const bool puts = e.kind == experiment_kind::put_latency || e.kind == experiment_kind::nodes;
    const bool grid = e.kind == experiment_kind::jacobi || e.kind == experiment_kind::nodes;
    if (e.schemes.empty() && e.kind != experiment_kind::mistake)
        found.push_back({"there is no scheme to run", {{"schemes", "one scheme or more"}}});
    check_lists(e, found);
    check_effects(e, found);
    const bool pairs = puts || e.kind == experiment_kind::ping_pong || e.kind == experiment_kind::mistake;
    if (e.cluster.nodes == 1 && pairs)
        found.push_back({fmt::format("{}: PE 0 puts to PE 1, and there is one node", config::name_of(e.kind)),
                         {{"nodes", "at least 2"}, {"experiment", "jacobi"}}});
    if (puts && found.empty()) check_puts(e, found);
    if (grid && found.empty()) check_jacobi(e, found);
    if (e.kind == experiment_kind::triangular_solve && found.empty()) check_triangular_solve(e, found);
    if (e.kind == experiment_kind::bfs && found.empty()) {
        check_kernels(e, e.bfs.workgroups, "bfs.workgroups", found);
        check_resident(e, e.bfs.workgroups, e.cluster.node.gpu.values.unit.wave_width, "bfs.workgroups", found);
    }
    if (e.kind == experiment_kind::all_reduce && found.empty()) check_all_reduce(e, found);
    if (e.kind == experiment_kind::ping_pong) check_schemes(e, found);
    if (e.kind == experiment_kind::ping_pong) {
        const core::bytes most{pairs_in_heap(e, 1)};
        check_heap(e, shmem::ping_pong(e.ping_pong), e.cluster.nodes, "ping_pong", "ping_pong.size",
                   most.count == 0 ? "" : "at most " + core::to_text(most), found);
    }
    if (e.kind == experiment_kind::mistake) {
        check_regions(e, scheme::gio, found);
    } else {
        for (const scheme how : e.schemes) {
            if (!found.empty()) break;
            check_regions(e, how, found);
        }
    }
    check_still(e, e.host.post, "the host's post of an entry takes", "host.post", found);
    check_still(e, e.host.look, "the host's look takes", "host.look", found);
    check_still(e, e.cluster.node.gpu.values.ppb.drain_after, "the wait of the write combiner takes",
                "node.gpu.ppb.drain_after", found);
    check_still(e, e.cluster.network.propagation, "the way along a link of the network takes", "network.propagation",
                found);
    check_still(e, e.cluster.node.nic.retry_after, "packets are sent again after", "node.nic.retry_after", found);
    const unsigned fewest = e.on_nodes.empty() ? e.cluster.nodes : std::ranges::min(e.on_nodes);
    for (std::size_t i = 0; i < e.dead.size(); ++i)
        if (e.dead[i].pe >= fewest)
            found.push_back(
                {fmt::format("there is no PE {}", e.dead[i].pe),
                 {{fmt::format("dead[{}].pe", i), fewest == 1 ? "0" : fmt::format("0 to {}", fewest - 1)}}});
    return found;
}

std::optional<config::problem> capacity_problem(const experiment& e, const std::exception& of) {
    using core::to_text;
    if (const auto* const full = dynamic_cast<const memory::memory_full*>(&of))
        return config::problem{fmt::format("the GPU's memory, {}, is full", to_text(full->socket_has())),
                               {{"node.gpu.dram.size", "at least " + to_text(full->socket_needs())}}};
    if (const auto* const rings = dynamic_cast<const host::host_memory_full*>(&of))
        return config::problem{
            fmt::format("the host's memory, {}, does not hold its rings and flags", to_text(rings->has())),
            {{"node.memory", "at least " + to_text(rings->needed())}}};
    if (const auto* const heap = dynamic_cast<const shmem::heap_too_small*>(&of))
        return config::problem{of.what(),
                               {{heap->cached() ? "shmem.cached_heap" : "shmem.heap",
                                 fmt::format("at least {}, or 0B for as much as is needed", to_text(heap->needed()))}}};
    if (const auto* const cta = dynamic_cast<const gpu::cta_too_large*>(&of)) {
        const gpu::compute_unit_spec& unit = e.cluster.node.gpu.values.unit;
        config::problem p{fmt::format("a workgroup of {} and {} of scratchpad fits no unit, which has {} and {}",
                                      core::counted(cta->waves(), "wavefront"), to_text(cta->shared()), unit.wave_slots,
                                      to_text(unit.scratchpad)),
                          {}};
        if (cta->waves() > unit.wave_slots)
            p.suspects.push_back({"node.gpu.unit.wave_slots", fmt::format("at least {}", cta->waves())});
        if (cta->shared() > unit.scratchpad)
            p.suspects.push_back({"node.gpu.unit.scratchpad", "at least " + to_text(cta->shared())});
        return p;
    }
    return std::nullopt;
}

}  // namespace contraflow::gpu_shmem
