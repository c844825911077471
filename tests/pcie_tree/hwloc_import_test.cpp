// SPDX-License-Identifier: Apache-2.0
#include "machines/hwloc_import.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "configuration.h"
#include "machines/hwloc_machine.h"
#include "machines/link_speed.h"

namespace {

using namespace contraflow;
using namespace contraflow::machines;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string data(const std::string& name) { return std::string(CF_TEST_DATA) + "/hwloc/" + name; }

std::string text_of(const std::string& name) {
    std::ifstream file(data(name));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// "rc(switch0[gen3 x16](gpu0[gen3 x16] gpu1[-]))"
std::string outline(const node_spec& node, bool is_root = true) {
    std::string text = node.name;
    if (!is_root && node.kind != pcie::node_kind::root_complex)
        text += "[" + (node.link ? pcie::to_text(*node.link) : "-") + "]";
    if (node.children.empty()) return text;
    text += "(";
    for (std::size_t i = 0; i < node.children.size(); ++i)
        text += (i > 0 ? " " : "") + outline(node.children[i], false);
    return text + ")";
}

const node_spec* find(const node_spec& node, const std::string& name) {
    if (node.name == name) return &node;
    for (const auto& child : node.children)
        if (const auto* found = find(child, name)) return found;
    return nullptr;
}

struct import {
    config::diagnostics diag;
    std::optional<imported_tree> result;
    std::string remarks;

    explicit import(const std::string& name, const import_options& options = {})
        : result(import_topology(data(name), options, diag)) {
        keep_remarks();
    }
    explicit import(config::source xml) : result(import_export(xml, {}, diag)) { keep_remarks(); }
    void keep_remarks() {
        if (result)
            for (const auto& remark : result->remarks) remarks += remark + "\n";
    }
    std::string said() const {
        std::ostringstream out;
        diag.print(out);
        return out.str();
    }
};

TEST(hwloc_import, makes_one_switch_of_a_switchs_bridges) {
    const import t2("t2.xml");
    ASSERT_TRUE(t2.result) << t2.said();
    const std::string l = "[gen3 x16]";
    const auto card = [&](int sw, int gpu) {
        return "switch" + std::to_string(sw) + l + "(gpu" + std::to_string(gpu) + l + " gpu" + std::to_string(gpu + 1) +
               l + ")";
    };
    EXPECT_EQ(outline(t2.result->tree), "rc(switch0" + l + "(" + card(1, 0) + " " + card(2, 2) + ") switch3" + l + "(" +
                                            card(4, 4) + " " + card(5, 6) + "))");
    EXPECT_THAT(t2.remarks, HasSubstr("left out 1 PCI device that is neither GPU nor NIC"));
    const auto* gpu5 = find(t2.result->tree, "gpu5");
    EXPECT_EQ(gpu5->device, device_role::gpu);
    EXPECT_THAT(gpu5->about, AllOf(HasSubstr("0000:11:00.0"), HasSubstr("Tesla K80"), HasSubstr("cuda5")));
    EXPECT_THAT(find(t2.result->tree, "switch0")->about, AllOf(HasSubstr("0000:02:00.0"), HasSubstr("PEX 8796")));
}

TEST(hwloc_import, joins_the_host_bridges_of_a_package_and_not_the_packages) {
    const import two("two_packages.xml");
    ASSERT_TRUE(two.result) << two.said();
    const auto quad = [](int sw, int nic) {
        const auto gpu = [&](int i) { return "gpu" + std::to_string(2 * sw + i) + "[gen3 x16]"; };
        return "switch" + std::to_string(sw) + "[gen3 x16](" + gpu(0) + " " + gpu(1) + " mlx5_" + std::to_string(nic) +
               "[gen3 x8])";
    };
    EXPECT_EQ(outline(two.result->tree), "machine(rc0(eno1[gen1 x8] " + quad(0, 0) + " " + quad(1, 2) + ") rc1(" +
                                             quad(2, 4) + " " + quad(3, 6) + "))");
    EXPECT_THAT(two.result->needs_socket_link, HasSubstr("give `socket_link`"));
    const auto* nic = find(two.result->tree, "mlx5_0");
    EXPECT_EQ(nic->device, device_role::nic);
    EXPECT_THAT(nic->about, AllOf(HasSubstr("ib0, mlx5_0, ib1, mlx5_1"), HasSubstr("2 functions")));
    EXPECT_THAT(find(two.result->tree, "rc1")->about, HasSubstr("package 1: Intel(R) Xeon(R) Gold 6148"));
}

TEST(hwloc_import, includes_all_devices_if_asked) {
    const import two("two_packages.xml", {true});
    ASSERT_TRUE(two.result) << two.said();
    const auto* disk = find(two.result->tree, "nvme0n1");
    ASSERT_NE(disk, nullptr);
    EXPECT_EQ(disk->device, device_role::storage);
    EXPECT_EQ(disk->link, (pcie::link_rate{3, 4}));
    EXPECT_THAT(outline(two.result->tree), HasSubstr("device0"));  // the service processor's display is not a GPU
    EXPECT_THAT(two.remarks, Not(HasSubstr("left out")));
}

TEST(hwloc_import, says_which_speeds_it_was_not_given) {
    const import slow("no_speeds.xml");
    ASSERT_TRUE(slow.result) << slow.said();
    // gpu0: neither end has a rate; gpu1: the port has one; gpu2: idle; the NIC: no PCIe rate.
    EXPECT_EQ(outline(slow.result->tree), "rc(gpu0[-] gpu1[gen3 x16] gpu2[gen1 x16] enp4s0[gen3 x8])");
    EXPECT_THAT(slow.remarks,
                HasSubstr("no link speed for gpu0 (0000:01:00.0): such links take the tree's default, the key `link`"));
    EXPECT_THAT(slow.remarks, HasSubstr("gpu2 runs at gen1"));
    EXPECT_THAT(slow.remarks,
                HasSubstr("no PCIe link's, and the nearest is taken, for enp4s0 (0000:04:00.0): gen3 x8"));
}

TEST(hwloc_import, takes_the_functions_behind_one_link_as_one_endpoint) {
    const import f("functions.xml");
    ASSERT_TRUE(f.result) << f.said();
    EXPECT_EQ(outline(f.result->tree),
              "rc(gpu0[gen4 x16] mlx5_0[gen4 x16] switch0[gen3 x16](gpu1[gen3 x16] gpu2[gen3 x16]) "
              "switch1[gen3 x16](gpu3[gen3 x16] gpu4[gen3 x16]))");
    EXPECT_THAT(find(f.result->tree, "gpu0")->about, HasSubstr("0000:01:00.0"));
    EXPECT_THAT(f.remarks, HasSubstr("several buses hang directly below 0000:00:04.0"));
}

TEST(hwloc_import, says_where_host_bridges_have_no_package) {
    const import h("homeless.xml");
    ASSERT_TRUE(h.result) << h.said();
    EXPECT_EQ(outline(h.result->tree), "machine(rc0(gpu0[gen3 x16]) rc1(gpu1[gen3 x16]))");
    EXPECT_THAT(h.remarks, HasSubstr("which package the host bridges 0000:80 belong to"));
}

TEST(hwloc_import, says_when_a_newer_hwloc_wrote_the_export) {
    const import newer("newer_writer.xml");
    ASSERT_TRUE(newer.result) << newer.said();
    EXPECT_THAT(newer.remarks, HasSubstr("hwloc 2.99.1 wrote the export, newer than the 2."));
    const import format("newer_format.xml");
    EXPECT_FALSE(format.result);
    EXPECT_THAT(format.said(), AllOf(HasSubstr("newer_format.xml:3:1: error: the export has format version 3.0"),
                                     HasSubstr("--export-xml-flags v2")));
}

TEST(hwloc_import, explains_why_there_is_no_tree) {
    EXPECT_THAT(import("no_pci.xml").said(), HasSubstr("no_pci.xml: error: no PCIe tree: it has no PCI devices"));
    EXPECT_THAT(import("no_bridges.xml").said(), HasSubstr("PCI devices but no host bridge"));
    EXPECT_THAT(import("storage_only.xml").said(), HasSubstr("none of its 1 PCI devices is a GPU or a NIC"));
    EXPECT_THAT(import("truncated.xml").said(), HasSubstr("error: "));
    EXPECT_THAT(import("truncated.xml").said(), HasSubstr("truncated"));
    EXPECT_THAT(import("nowhere.xml").said(), HasSubstr("cannot be read: No such file"));
    EXPECT_THAT(import("").said(), HasSubstr("is a directory"));
}

TEST(hwloc_import, refuses_damaged_exports_without_falling) {
    const auto whole = text_of("two_packages.xml");
    // Cut anywhere, it is refused with a position; the last cut leaves everything but a newline.
    for (std::size_t cut = 0; cut + 2 < whole.size(); cut += 97) {
        const import i(config::source{"cut.xml", whole.substr(0, cut)});
        EXPECT_FALSE(i.result) << cut;
        EXPECT_EQ(i.diag.errors(), 1u) << cut;
        EXPECT_THAT(i.said(), HasSubstr("cut.xml:")) << cut;
    }
    const auto said = [](std::string xml) { return import(config::source{"x.xml", std::move(xml)}).said(); };
    EXPECT_THAT(said("name: value\n"), HasSubstr("x.xml:1:1: error: this is no XML"));
    EXPECT_THAT(said("<html></html>"), HasSubstr("x.xml:1:1: error: <html> where <topology> is due"));
    EXPECT_THAT(said("<topology version=\"2.0\"></object>"),
                HasSubstr("x.xml:1:25: error: </object> where </topology> is due"));
    EXPECT_THAT(said("<topology version=\"two\"></topology>"), HasSubstr("'two' is no version"));
    EXPECT_THAT(said("<topology version=\"2.0\">\n</topology>"), HasSubstr("there is no machine in it"));
    EXPECT_THAT(said("<topology version='2.0'></topology>"), HasSubstr("not in double quotes"));
    const auto with = [&](const std::string& object) {
        return said("<topology version=\"2.0\"><object type=\"Machine\">\n" + object + "</object></topology>");
    };
    EXPECT_THAT(with("<object type=\"PCIDev\" pci_type=\"0302 [10de:20b0]\"/>"),
                HasSubstr("x.xml:2:1: error: an object without 'pci_busid'"));
    EXPECT_THAT(with("<object type=\"PCIDev\" pci_busid=\"0000:1\" pci_type=\"0302 [10de:20b0]\"/>"),
                HasSubstr("x.xml:2:34: error: '0000:1' is no pci_busid"));
    EXPECT_THAT(with("<object type=\"PCIDev\" pci_busid=\"0000:01:00.0\" pci_type=\"GPU\"/>"),
                HasSubstr("'GPU' is no pci_type"));
    EXPECT_THAT(with("<object type=\"PCIDev\" pci_busid=\"0000:01:00.0\" pci_type=\"0302 [10de:20b0]\" "
                     "pci_link_speed=\"fast\"/>"),
                HasSubstr("'fast' is no pci_link_speed"));
    EXPECT_THAT(with("<object type=\"Bridge\" bridge_type=\"2-1\"/>"), HasSubstr("'2-1' is no bridge_type"));
    EXPECT_THAT(with("<object type=\"Bridge\" bridge_type=\"0-1\" bridge_pci=\"here\"/>"),
                HasSubstr("'here' is no bridge_pci"));
    EXPECT_THAT(with("</object><object type=\"Machine\">"), HasSubstr("a second machine"));
    std::string deep = "<topology version=\"2.0\">";
    for (int i = 0; i < 100000; ++i) deep += "<object type=\"Group\">";
    EXPECT_THAT(said(deep), HasSubstr("inside one another"));
}

TEST(hwloc_import, reads_names_as_they_were_meant) {
    const std::string xml =
        "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Bridge\" bridge_type=\"0-1\" "
        "bridge_pci=\"0000:[00-01]\">"
        "<object type=\"PCIDev\" pci_busid=\"10000:01:00.0\" pci_type=\"0200 [15b3:1017]\" pci_link_speed=\"nan\">"
        "<info name=\"PCIVendor\" value=\"A &amp; B &quot;C&quot;&#10;\"/><object type=\"OSDev\" name=\"a b,\xC3\xA4\" "
        "osdev_type=\"2\"/>"
        "</object></object></object></topology>";
    EXPECT_THAT(import(config::source{"x.xml", xml}).said(), HasSubstr("'nan' is no pci_link_speed"));
    auto sound = xml;
    sound.replace(sound.find("nan"), 3, "7.9");
    const import read(config::source{"x.xml", sound});
    ASSERT_TRUE(read.result) << read.said();
    EXPECT_EQ(outline(read.result->tree), "rc(a_b_??[gen3 x8])");
    EXPECT_THAT(read.result->tree.children[0].about, HasSubstr("10000:01:00.0 A & B \"C\"? [15b3:1017]"));
}

TEST(hwloc_import, says_loudly_that_nvlink_is_left_out) {
    const std::string pci = "pci_link_speed=\"15.753846\"";
    const auto xml = [&](const std::string& rates) {
        return "<topology version=\"2.0\"><object type=\"Machine\" gp_index=\"1\"><object type=\"Bridge\" "
               "bridge_type=\"0-1\" bridge_pci=\"0000:[00-10]\">"
               "<object type=\"PCIDev\" pci_busid=\"0000:01:00.0\" pci_type=\"0302 [10de:20b0] [0:0] a1\" " +
               pci + "/><object type=\"PCIDev\" pci_busid=\"0000:02:00.0\" pci_type=\"0302 [10de:20b0] [0:0] a1\" " +
               pci + "/><object type=\"PCIDev\" pci_busid=\"0000:03:00.0\" pci_type=\"0680 [10de:1af1] [0:0] a1\" " +
               pci +
               "/></object></object><distances2 type=\"OSDev\" nbobjs=\"2\" kind=\"9\" name=\"NVLinkBandwidth\" "
               "indexing=\"gp\"><indexes length=\"4\">8 9 </indexes><u64values length=\"9\">" +
               rates + "</u64values></distances2></topology>";
    };
    // Two GPUs, and an NVSwitch with a row of its own.
    const auto with_switch = [&](const std::string& rates) {
        std::string text = xml(rates);
        text.replace(text.find("nbobjs=\"2\""), 10, "nbobjs=\"3\"");
        return import(config::source{"x.xml", text}).remarks;
    };
    EXPECT_THAT(with_switch("9 0 50000 0 9 50000 50000 50000 9 "),
                HasSubstr("--set gpus=2 --set network.kind=switch --set network.link.lanes.lanes_per_direction=10 "
                          "--set network.link.lane_rate=5GB/s"));
    EXPECT_THAT(with_switch("9 0 50000 0 9 25000 50000 25000 9 "), HasSubstr("none of them is this one"));
    const auto changed = [](std::string text, const std::string& old, const std::string& now) {
        return text.replace(text.find(old), old.size(), now);
    };
    // Rows that are neither GPUs nor switches, as of tiles.
    const std::string three_rows = changed(xml("9 0 50000 0 9 50000 50000 50000 9 "), "nbobjs=\"2\"", "nbobjs=\"3\"");
    EXPECT_THAT(import(config::source{"x.xml", changed(three_rows, "0680 [10de:1af1]", "0108 [144d:a808]")}).remarks,
                HasSubstr("none of them is this one"));
    // The GPU of the board's controller has no such links, and is none of those of the matrix.
    EXPECT_THAT(import(config::source{"x.xml", changed(xml("1000000 300000 300000 1000000 "), "0680 [10de:1af1]",
                                                       "0300 [1a03:2000]")})
                    .remarks,
                HasSubstr("--set gpus=2 --set network.kind=fully_connected"));
    const import whole(config::source{"x.xml", xml("1000000 300000 300000 1000000 ")});
    ASSERT_TRUE(whole.result) << whole.said();
    EXPECT_THAT(whole.remarks, HasSubstr("NVLINK IS LEFT OUT"));
    EXPECT_THAT(whole.remarks, HasSubstr("with 1 NVSwitch device: 1 pair at 300 GB/s"));
    EXPECT_THAT(whole.remarks,
                HasSubstr("unified_gpu models these links, without PCIe: --set gpus=2 --set network.kind=switch --set "
                          "network.link.lanes.lanes_per_direction=15 --set "
                          "network.link.lane_rate=20GB/s"));
    EXPECT_THAT(import(config::source{"x.xml", xml("1000000 300000 200000 1000000 ")}).remarks,
                HasSubstr("links that are all equal, so none of them is this one"));
    EXPECT_THAT(import(config::source{"x.xml", xml("1000000 300500 300500 1000000 ")}).remarks,
                HasSubstr("links of whole GB/s"));
    const auto incomplete = import(config::source{"x.xml", xml("1000000 300000")}).remarks;
    EXPECT_THAT(incomplete, HasSubstr("not complete"));
    EXPECT_THAT(incomplete, ::testing::Not(HasSubstr("--set")));
    EXPECT_THAT(import("t2.xml").remarks, ::testing::Not(HasSubstr("NVLINK")));
    // A number of objects whose square is 0 in 64 bits.
    std::string huge = xml("");
    huge.replace(huge.find("nbobjs=\"2\""), 10, "nbobjs=\"4294967296\"");
    EXPECT_THAT(import(config::source{"x.xml", huge}).remarks, HasSubstr("not complete"));
    EXPECT_THAT(import(config::source{"x.xml", xml("1000000 0 0 1000000 ")}).remarks,
                HasSubstr("with 1 NVSwitch device. Here"));
}

TEST(hwloc_import, says_which_other_links_are_left_out) {
    const auto xgmi = import("xgmi.xml").remarks;
    EXPECT_THAT(xgmi, HasSubstr("XGMI IS LEFT OUT. hwloc shows XGMI between the GPUs of this machine: 6 pairs at 100 "
                                "GB/s"));
    EXPECT_THAT(xgmi, HasSubstr("unified_gpu models these links, without PCIe: --set gpus=4 --set "
                                "network.kind=fully_connected --set network.link.lanes.lanes_per_direction=10 --set "
                                "network.link.lane_rate=10GB/s"));
    const auto with = [](const std::string& old, const std::string& now) {
        auto text = text_of("xgmi.xml");
        return import(config::source{"x.xml", text.replace(text.find(old), old.size(), now)}).remarks;
    };
    EXPECT_THAT(with("XGMIBandwidth", "MyBandwidth"),
                HasSubstr("LINKS BESIDE PCIE ARE LEFT OUT. hwloc shows 'MyBandwidth' between devices"));
    const std::string mixed = "distances2hetero nbobjs=\"4\" kind=\"25\" name=\"MyBandwidth\" ";
    const auto of_types = [&](const std::string& indexes) {
        auto text = text_of("xgmi.xml");
        const auto begin = text.find("<distances2 ");
        text.erase(begin, text.find("</distances2>") + 13 - begin);
        return import(config::source{"x.xml", text.insert(begin, "<" + mixed + "><indexes length=\"9\">" + indexes +
                                                                     "</indexes></distances2hetero>")})
            .remarks;
    };
    EXPECT_THAT(of_types("OSDev:102 NUMANode:1 "), HasSubstr("'MyBandwidth'"));
    EXPECT_THAT(of_types("Package:1 NUMANode:1 "), Not(HasSubstr("LEFT OUT")));
    EXPECT_THAT(of_types("Package:1 </indexes><indexes length=\"9\">OSDev:102 "), HasSubstr("'MyBandwidth'"));
    EXPECT_THAT(with("type=\"OSDev\" nbobjs", "type=\"NUMANode\" nbobjs"), Not(HasSubstr("LEFT OUT")));
    EXPECT_THAT(with("kind=\"9\"", "kind=\"5\""), Not(HasSubstr("LEFT OUT"))) << "latencies";
}

// hwloc takes the file for the machine on which it runs.
TEST(hwloc_import, reads_the_links_beside_pcie_of_this_machine_too) {
    std::string text = text_of("t2.xml");
    const std::string matrix =
        "<distances2 type=\"PCIDev\" nbobjs=\"2\" kind=\"9\" name=\"NVLinkBandwidth\" indexing=\"gp\">"
        "<indexes length=\"8\">107 112 </indexes><u64values length=\"28\">1000000 50000 50000 1000000 </u64values>"
        "</distances2>";
    const auto before = text.find("<support ");
    ASSERT_NE(before, std::string::npos);
    text.insert(before, matrix);
    const std::string file = ::testing::TempDir() + "/links_beside_pcie.xml";
    std::ofstream(file) << text;
    ::setenv("HWLOC_XMLFILE", file.c_str(), 1);
    std::string failure;
    const auto machine = read_this_machine(failure);
    ::unsetenv("HWLOC_XMLFILE");
    std::remove(file.c_str());
    ASSERT_TRUE(machine) << failure;
    ASSERT_EQ(machine->bandwidths.size(), 1u);
    EXPECT_EQ(machine->bandwidths[0].name, "NVLinkBandwidth");
    EXPECT_EQ(machine->bandwidths[0].objects, 2u);
    EXPECT_EQ(machine->bandwidths[0].mb_per_s, (std::vector<std::uint64_t>{1000000, 50000, 50000, 1000000}));
}

TEST(hwloc_import, has_nothing_to_leave_out_where_a_matrix_has_one_gpu) {
    const import one("one_gpu.xml");
    ASSERT_TRUE(one.result) << one.said();
    EXPECT_THAT(one.remarks, Not(HasSubstr("LEFT OUT")));
    EXPECT_THAT(one.remarks, Not(HasSubstr("not complete")));
}

TEST(hwloc_import, asks_for_the_rate_between_packages_until_it_is_given) {
    for (const bool given : {false, true}) {
        config::diagnostics diag;
        const std::vector<std::string> sets =
            given ? std::vector<std::string>{"socket_link=20GB/s"} : std::vector<std::string>{};
        auto loaded = config::load<pcie_tree::experiment>(std::nullopt, sets, diag);
        ASSERT_TRUE(import_into(loaded, data("two_packages.xml"), {}, diag));
        std::ostringstream said;
        diag.print(said);
        EXPECT_EQ(said.str().find("give `socket_link`") == std::string::npos, given) << said.str();
    }
}

TEST(hwloc_import, becomes_a_configuration_to_keep) {
    config::diagnostics diag;
    auto loaded = config::load<pcie_tree::experiment>(std::nullopt, {}, diag);
    ASSERT_TRUE(import_into(loaded, data("two_packages.xml"), {}, diag));
    const auto yaml = config::print(loaded);
    const pcie_tree::testing::configuration again(yaml + "\n",
                                                  {"socket_link=20GB/s", "pattern.kind=ring", "pattern.size=1MiB"});
    ASSERT_TRUE(again.sends) << again.said() << yaml;
    EXPECT_EQ(outline(again.loaded.value.tree), outline(loaded.value.tree));
    EXPECT_EQ(again.sends->size(), 8u);
}

TEST(hwloc_import, of_this_machine_gives_a_tree_or_a_reason) {
    config::diagnostics diag;
    const auto here = import_this_machine({true}, diag);
    EXPECT_NE(here.has_value(), diag.failed());
    EXPECT_TRUE(!here || !here->tree.children.empty());
}

TEST(link_speed, is_read_from_the_rate) {
    for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u})
        for (unsigned generation = 1; generation <= 6; ++generation) {
            const pcie::link_rate exact{generation, lanes};
            const auto reading = read_link_speed(exact.raw().gb_per_s());
            ASSERT_TRUE(reading);
            EXPECT_NEAR(reading->rate.raw().gb_per_s() / exact.raw().gb_per_s(), 1, 0.002) << pcie::to_text(exact);
            EXPECT_GE(reading->rate.lanes, lanes);
        }
    EXPECT_EQ(read_link_speed(15.753846)->rate, (pcie::link_rate{3, 16}));
    EXPECT_TRUE(read_link_speed(15.753846)->ambiguous);
    EXPECT_FALSE(read_link_speed(4.0 * 16)->ambiguous);
    EXPECT_EQ(read_link_speed(7.876923, 4)->rate, (pcie::link_rate{4, 4}));
    EXPECT_EQ(read_link_speed(126.03)->rate, (pcie::link_rate{6, 16}));  // the value that hwloc 2 computes
    for (const double none :
         {0.0, -1.0, 1e9, 1e-9, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        EXPECT_FALSE(read_link_speed(none)) << none;
}

}  // namespace
