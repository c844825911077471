// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "face/command_line/errors.h"
#include "specs.h"
#include "sweep/effective_configuration.h"
#include "sweep/point_store.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;

class point_store_test : public testing::Test {
protected:
    point_store_test() : folder_(sweep_test::own_folder("point_store_test")) {
        fs::remove_all(folder_);
        plan_.platform.name = "probe";
        plan_.platform.sha256 = "0123456789abcdef";
        plan_.folder = folder_;
        const std::string id = identity("probe", values_of(config), {folder_}).substr(0, 16);
        plan_.points.push_back({{}, std::nullopt, {}, id, id + "-01234567"});
        plan_.points.push_back(plan_.points[0]);
    }
    ~point_store_test() override { fs::remove_all(folder_); }

    const point& the_point() const { return plan_.points[0]; }

    // The files that a run leaves.
    void leave_run(const point_store& store, int exit_code, const std::string& binary, const std::string& text) const {
        const fs::path directory = store.run_directory(the_point());
        fs::create_directories(directory);
        const nlohmann::json manifest{{"exit", {{"code", exit_code}}}, {"binary", {{"sha256", binary}}}};
        std::ofstream(directory / "manifest.json") << manifest;
        std::ofstream(directory / "config.yaml") << text;
    }
    static void note_end(const point_store& store, const point& p, const std::string& code, const std::string& said) {
        fs::create_directories(store.work() / "ended");
        fs::create_directories(store.work() / "errors");
        std::ofstream(store.work() / "ended" / p.directory) << code << "\n";
        std::ofstream(store.work() / "errors" / p.directory) << said;
    }

    static constexpr auto config = "# a comment\nfactor: 2 # [default]\nname: x\n";
    fs::path folder_;
    plan plan_;
};

TEST_F(point_store_test, a_complete_run_of_this_binary_and_configuration_is_finished) {
    const point_store store(folder_ / "out");
    EXPECT_EQ(store.unfinished(plan_).size(), 1U) << "two points that are the same are run once";
    leave_run(store, 0, plan_.platform.sha256, "# another comment\nfactor: 2\nname: x # [set]\n");
    EXPECT_TRUE(store.is_finished(plan_, the_point()));
    EXPECT_EQ(store.judge(plan_, the_point()).end, ending::finished);
    EXPECT_TRUE(store.unfinished(plan_).empty());
}

TEST_F(point_store_test, nothing_else_is) {
    const point_store store(folder_ / "out");
    EXPECT_FALSE(store.is_finished(plan_, the_point())) << "not there";
    fs::create_directories(store.run_directory(the_point()));
    EXPECT_FALSE(store.is_finished(plan_, the_point())) << "empty";
    std::ofstream(store.run_directory(the_point()) / "manifest.json") << R"({"schema": "contraflow-manifest/1"})";
    EXPECT_FALSE(store.is_finished(plan_, the_point())) << "only marked as a run";
    leave_run(store, 1, plan_.platform.sha256, config);
    EXPECT_FALSE(store.is_finished(plan_, the_point())) << "a check failed";
    leave_run(store, 4, plan_.platform.sha256, config);
    EXPECT_FALSE(store.is_finished(plan_, the_point())) << "stopped";
    leave_run(store, 0, "fedcba9876543210", config);
    EXPECT_FALSE(store.is_finished(plan_, the_point())) << "another binary";
    leave_run(store, 0, plan_.platform.sha256, "factor: 3\nname: x\n");
    EXPECT_FALSE(store.is_finished(plan_, the_point())) << "another configuration";
}

TEST_F(point_store_test, says_how_a_point_ended) {
    const point_store store(folder_ / "out");
    EXPECT_EQ(store.judge(plan_, the_point()).end, ending::not_run);
    const std::string place = store.run_directory(the_point()).string();
    note_end(store, the_point(), "5", "first\nprobe: cannot write " + place + "/x\n\n");
    const verdict failed = store.judge(plan_, the_point());
    EXPECT_EQ(failed.end, ending::failed);
    EXPECT_EQ(failed.exit_code, 5);
    EXPECT_EQ(failed.message, "probe: cannot write " + the_point().directory + "/x") << "wherever the sweep is";
    note_end(store, the_point(), "4", "stopping");
    EXPECT_EQ(store.judge(plan_, the_point()).end, ending::not_run) << "stopped";
    note_end(store, the_point(), "0", "");
    EXPECT_EQ(store.judge(plan_, the_point()).end, ending::failed) << "ended well, and yet is not what was asked for";
}

TEST_F(point_store_test, says_what_a_failed_run_reports_if_it_printed_no_error) {
    const point_store store(folder_ / "out");
    const auto report = [&](const std::string& text) {
        std::ofstream(store.run_directory(the_point()) / "report.json") << text;
    };
    leave_run(store, 1, plan_.platform.sha256, config);
    note_end(store, the_point(), "1", "");
    EXPECT_EQ(store.judge(plan_, the_point()).message, "") << "no report";
    report(R"({"headline": ["model: 1 ms", "FAULT at 5 ms"], "warnings": []})");
    EXPECT_EQ(store.judge(plan_, the_point()).message, "FAULT at 5 ms");
    report(R"({"headline": ["model: 1 ms"], "warnings": ["not all ended"]})");
    EXPECT_EQ(store.judge(plan_, the_point()).message, "not all ended") << "which stands last on a terminal";
    note_end(store, the_point(), "139", "");
    EXPECT_EQ(store.judge(plan_, the_point()).message, "") << "the report is an earlier run's";
    note_end(store, the_point(), "1", "probe: error: lost\n");
    EXPECT_EQ(store.judge(plan_, the_point()).message, "probe: error: lost");
}

// The note of an end is written under a name with a dot and renamed.
TEST_F(point_store_test, counts_ends_once_they_are_written) {
    const point_store store(folder_ / "out");
    EXPECT_EQ(store.ended(), 0U);
    note_end(store, the_point(), "0", "");
    EXPECT_EQ(store.ended(), 1U);
    std::ofstream(store.work() / "ended" / ".half") << "0";
    EXPECT_EQ(store.ended(), 1U);
}

TEST_F(point_store_test, is_for_one_sweep_at_a_time) {
    {
        const point_store first(folder_ / "out");
        EXPECT_THROW(point_store(folder_ / "out"), face::usage_error);
        const point_store elsewhere(folder_ / "other");
    }
    const point_store next(folder_ / "out");
}

TEST_F(point_store_test, is_idle_when_no_point_is_under_way) {
    point_store store(folder_ / "out");
    EXPECT_TRUE(store.idle());
    {
        file_lock point_under_way(store.work() / "workers.lock");
        ASSERT_TRUE(point_under_way.try_lock());
        EXPECT_FALSE(store.idle());
    }
    EXPECT_TRUE(store.idle());
}

TEST_F(point_store_test, each_call_has_a_generation_of_its_own) {
    point_store store(folder_ / "out");
    store.replace_earlier_calls();
    const std::string first = store.generation();
    store.replace_earlier_calls();
    EXPECT_NE(store.generation(), first);
    std::string written;
    std::ifstream(store.work() / "generation") >> written;
    EXPECT_EQ(written, store.generation());
}

}  // namespace
}  // namespace contraflow::sweep
