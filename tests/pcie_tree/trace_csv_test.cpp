// SPDX-License-Identifier: Apache-2.0
#include "transfers/trace_csv.h"

#include <ctime>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "configuration.h"

namespace {

using namespace contraflow;
using contraflow::pcie_tree::testing::configuration;
using contraflow::pcie_tree::testing::one_switch;
using contraflow::pcie_tree::testing::two_sockets;
using ::testing::HasSubstr;

struct reading {
    configuration machine;
    config::diagnostics diag;
    std::vector<pcie::model::communication> sends;
    bool ok;

    explicit reading(std::string csv, const std::string& tree = one_switch(4, ""))
        : machine(tree),
          ok(transfers::read_trace({"t.csv", std::move(csv)}, machines::endpoint_directory(machine.tree->topology),
                                   sends, diag)) {}
    std::string said() const {
        std::ostringstream out;
        diag.print(out);
        return out.str();
    }
};

TEST(trace_csv, reads_rows_with_and_without_header_and_units) {
    const reading r(
        "# captured\nstart,from,to,bytes\r\n0,gpu0,gpu1,4096\r\n\n1.5ms, gpu1 ,\"gpu2\", 2 MiB\n2ms,gpu3,gpu0,1\n");
    ASSERT_TRUE(r.ok) << r.said();
    ASSERT_EQ(r.sends.size(), 3u);
    EXPECT_EQ(r.sends[0].size.count, 4096u);
    EXPECT_EQ(r.sends[0].name, "trace:3");
    EXPECT_DOUBLE_EQ(r.sends[1].start_s, 1.5e-3);
    EXPECT_EQ(r.sends[1].size.count, 2u << 20);
    EXPECT_EQ(r.machine.tree->topology[r.sends[1].to].name, "gpu2");
    EXPECT_DOUBLE_EQ(r.sends[2].start_s, 2e-3);
    EXPECT_TRUE(reading("0,gpu0,gpu1,1").ok);
}

TEST(trace_csv, names_its_mistakes_where_they_stand) {
    const auto said = [](const std::string& csv) { return reading(csv).said(); };
    EXPECT_THAT(said("0,gpu0,gpu1,1\n0,gpu0, gppu1,1\n"),
                ::testing::AllOf(HasSubstr("t.csv:2:9: error: there is no endpoint 'gppu1'"),
                                 HasSubstr("did you mean 'gpu1'?")));
    EXPECT_THAT(said("0,sw,gpu1,1\n"), HasSubstr("t.csv:1:3: error: 'sw' is of kind switch"));
    EXPECT_THAT(said("0,gpu1,gpu1,1\n"), HasSubstr("t.csv:1:8: error: 'gpu1' sends to itself"));
    EXPECT_THAT(said("x,gpu0,gpu1,1\n"), HasSubstr("t.csv:1:1: error: 'x' is no start"));
    for (const char* start : {"5", "0.0015", "1.5e-3"})
        EXPECT_THAT(said(std::string(start) + ",gpu0,gpu1,1\n"),
                    HasSubstr(std::string("t.csv:1:1: error: start '") + start + "' has no unit"))
            << start;
    EXPECT_THAT(said("5,gpu0,gpu1,1\n"), HasSubstr("a time such as 5us or 5s"));
    for (const char* start : {"-1", "-1s", "nan", "inf", "1e300s", "1e7s"})
        EXPECT_THAT(said(std::string(start) + ",gpu0,gpu1,1\n"), HasSubstr("t.csv:1:1: error")) << start;
    for (const char* size : {"0", "-4", "1.5", "", "4MB/s", "99999999999999999999999"})
        EXPECT_THAT(said("0,gpu0,gpu1," + std::string(size) + "\n"), HasSubstr("t.csv:1:13: error")) << size;
    EXPECT_THAT(said("0,gpu0,gpu1\n"), HasSubstr("t.csv:1:12: error: 3 fields only"));
    EXPECT_THAT(said("0,gpu0,gpu1,1,2\n"), HasSubstr("t.csv:1:14: error: more than 4 fields"));
    EXPECT_THAT(said("start,to,from,bytes\n0,gpu0,gpu1,1\n"), HasSubstr("t.csv:1:1: error: 'start' is no start"));
    EXPECT_THAT(said("start,from,to,bytes\n"), HasSubstr("the trace has no rows"));
    EXPECT_THAT(reading("0,gpu0,gpu2,1\n", two_sockets("")).said(),
                HasSubstr("t.csv:1:8: error: there is no path from 'gpu0' (below rc0) to 'gpu2' (below rc1)"));
}

TEST(trace_csv, stops_after_twenty_errors) {
    std::string csv;
    for (int i = 0; i < 100000; ++i) csv += "0,gpu0,nobody,1\n";
    const reading r(csv);
    EXPECT_EQ(r.diag.errors(), 21u);
    EXPECT_THAT(r.said(), HasSubstr("what follows was not read"));
}

std::string rows(std::size_t count) {
    std::string csv;
    for (std::size_t i = 0; i < count; ++i) csv += std::to_string(i % 1000) + "us,gpu0,gpu1,65536\n";
    return csv;
}

// Processor time, in seconds: independent of the machine's other load.
double time_to_read(const std::string& csv, std::size_t expected) {
    const std::clock_t begin = std::clock();
    EXPECT_EQ(reading(csv).sends.size(), expected);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(trace_csv, reads_a_million_rows_and_no_more) {
    constexpr std::size_t most = transfers::most_trace_rows;
    const std::string csv = rows(most);
    // Ten times as many rows take about ten times as long, not a hundred times.
    EXPECT_LT(time_to_read(csv, most), 30 * time_to_read(rows(most / 10), most / 10));
    EXPECT_THAT(reading(csv + "0,gpu0,gpu1,1\n").said(), HasSubstr("more than 1000000 rows"));
}

TEST(trace_csv, is_found_beside_the_configuration) {
    const auto folder = std::filesystem::path(::testing::TempDir()) / "contraflow_trace";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "t.csv") << "1ms,gpu0,gpu1,100\n";
    const auto config = (folder / "x.yaml").string();
    const configuration found(one_switch(2, "trace: t.csv\n"), {}, config);
    ASSERT_TRUE(found.sends) << found.said();
    EXPECT_EQ(found.sends->size(), 1u);
    EXPECT_THAT(configuration(one_switch(2, "trace: u.csv\n"), {}, config).said(), HasSubstr("x.yaml:2:8: error:"));
    EXPECT_THAT(configuration(one_switch(2, "trace: .\n"), {}, config).said(), HasSubstr("is a directory"));
    // A path on the command line is relative to the current folder.
    EXPECT_TRUE(configuration(one_switch(2, ""), {"trace=" + (folder / "t.csv").string()}, config).sends);
    EXPECT_FALSE(configuration(one_switch(2, ""), {"trace=t.csv"}, config).sends);
}

}  // namespace
