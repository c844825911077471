// SPDX-License-Identifier: Apache-2.0
#include "sweep/execution.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "face/command_line/errors.h"
#include "face/run/run_directory.h"
#include "sweep/child_process.h"
#include "sweep/slurm.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto pause = 50ms;
constexpr auto patience = 10s;  // the time given to points that were asked to stop

std::vector<std::string> snakemake_command(std::size_t cores) {
    // Debian's Snakemake needs Debian's Python, even if PATH has another one first.
    return {"/usr/bin/python3",
            "-I",
            "-m",
            "snakemake",
            "--snakefile",
            "../Snakefile",
            "--cores",
            fmt::format("{}", cores),
            "--keep-going",
            "--nolock",
            "--nocolor",
            "--scheduler",
            "greedy",
            "--quiet",
            "all",
            "--",
            "all"};
}

// A child in a process group of its own, so that a Ctrl-C at the terminal does not reach it directly. It is killed when
// this process dies in any way; the points it has started go on to their end.
class snakemake {
public:
    snakemake(const std::vector<std::string>& words, const fs::path& directory, const fs::path& log) {
        const pid_t parent = ::getpid();
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        const std::string cache = (directory / "cache").string();
        ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
        pid_ = ::fork();
        if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (pid_ != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setpgid(0, 0);
        if (::getppid() != parent || ::chdir(directory.c_str()) != 0) ::_exit(126);
        ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
        for (const int s : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) std::signal(s, SIG_DFL);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }
    ~snakemake() {
        if (!ended()) kill_group(SIGKILL);
        while (!ended()) std::this_thread::sleep_for(pause);
    }
    snakemake(const snakemake&) = delete;
    snakemake& operator=(const snakemake&) = delete;

    bool ended() {
        int status = 0;
        if (!ended_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
            ended_ = true;
            status_ = exit_status(status);
        }
        return ended_;
    }
    int status() const { return status_; }
    // Sends the signal to all points as well.
    void kill_group(int signal) const { ::kill(-pid_, signal); }

private:
    pid_t pid_ = -1;
    bool ended_ = false;
    int status_ = 0;
};

std::string last_lines(const fs::path& log) {
    std::ifstream in(log);
    std::string line, text;
    std::vector<std::string> lines;
    while (std::getline(in, line)) {
        if (!line.empty()) lines.push_back(line);
    }
    for (std::size_t i = lines.size() > 3 ? lines.size() - 3 : 0; i < lines.size(); ++i)
        text += fmt::format("{}{}", text.empty() ? "" : " / ", lines[i]);
    return text;
}

class executor {
public:
    executor(const plan& of, point_store& store, const execution_request& how, face::run_context& context)
        : plan_(of),
          store_(store),
          how_(how),
          context_(context),
          job_name_(slurm::job_name(store.path())) {}

    std::string run() {
        if (!wait_for_earlier_calls()) return "stopped";
        const std::vector<const point*> todo = store_.unfinished(plan_);
        total_ = todo.size();
        if (total_ == 0) return {};
        store_.prepare(plan_, todo);
        const std::size_t cores = how_.on == engine::local ? write_points(todo) : write_arrays(todo);
        const fs::path log = store_.work() / "snakemake.log";
        int status = 0;
        {
            snakemake engine(snakemake_command(cores), store_.work() / "snakemake", log);
            while (!engine.ended()) {
                if (!proceed()) return stop(engine);
            }
            status = engine.status();
        }
        // If it was killed, points may still be under way.
        while (!store_.idle()) {
            if (!proceed()) return "stopped";
        }
        const std::size_t left = total_ - std::min(total_, store_.ended());
        if (left == 0) return {};
        return fmt::format("{} of {} points were not run: {}", left, total_, reason(status, log));
    }

private:
    // False when it is time to stop.
    bool proceed() {
        context_.progress({}, store_.ended(), total_, "points");
        std::this_thread::sleep_for(pause);
        return context_.keep_going();
    }

    void say(const std::string& text) {
        context_.erase_progress();
        fmt::print(std::cerr, "sweep: {}\n", text);
    }

    bool wait_for_earlier_calls() {
        // Jobs that wait in the cluster's queue do the same as those that we would submit.
        bool said = false;
        while (how_.on == engine::slurm && slurm::has_jobs(job_name_)) {
            if (!said)
                say(fmt::format("jobs of an earlier call are on the cluster; waiting for them ('scancel --name={}' "
                                "gives them up)",
                                job_name_));
            said = true;
            for (int i = 0; i < 10; ++i) {
                if (!proceed()) return false;
            }
        }
        store_.replace_earlier_calls();
        said = false;
        while (!store_.idle()) {
            if (!said) say("points of an earlier call still run; waiting for them");
            said = true;
            if (!proceed()) return false;
        }
        return true;
    }

    std::size_t write_points(const std::vector<const point*>& todo) {
        nlohmann::json names = nlohmann::json::array();
        for (const point* p : todo) names.push_back(p->directory);
        write_units(names, nlohmann::json::array());
        return how_.jobs;
    }

    std::size_t write_arrays(const std::vector<const point*>& todo) {
        const std::size_t largest = slurm::largest_array();
        nlohmann::json names = nlohmann::json::array();
        for (std::size_t first = 0; first < todo.size(); first += largest) {
            std::string list;
            for (std::size_t i = first; i < std::min(first + largest, todo.size()); ++i)
                list += todo[i]->directory + "\n";
            names.push_back(fmt::format("array-{}", names.size()));
            face::write_file(store_.work() / "arrays" / names.back().get<std::string>(), list);
        }
        std::string options;
        for (const std::string& option : how_.sbatch_options) options += option + "\n";
        face::write_file(store_.work() / "sbatch_options", options);
        face::write_file(store_.work() / "job_name", job_name_ + "\n");
        face::write_file(store_.work() / "job_limit", how_.jobs_given ? fmt::format("{}\n", how_.jobs) : "");
        write_units(nlohmann::json::array(), names);
        return how_.jobs_given ? 1 : names.size();
    }

    void write_units(const nlohmann::json& points, const nlohmann::json& arrays) const {
        const nlohmann::json units{{"generation", store_.generation()}, {"points", points}, {"arrays", arrays}};
        face::write_file(store_.work() / "snakemake" / "units.json", units.dump() + "\n");
    }

    // Points get time to end by themselves.
    std::string stop(snakemake& engine) {
        if (how_.on == engine::slurm) slurm::cancel(job_name_);
        engine.kill_group(SIGTERM);
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while ((!engine.ended() || !store_.idle()) && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(pause);
        engine.kill_group(SIGKILL);
        return "stopped";
    }

    std::string reason(int status, const fs::path& log) const {
        for (const char* name : {"sbatch", "squeue"}) {
            const std::string said = last_lines(store_.work() / "errors" / name);
            if (how_.on == engine::slurm && !said.empty()) return said;
        }
        return fmt::format("Snakemake ended with exit status {}: {}", status, last_lines(log));
    }

    const plan& plan_;
    point_store& store_;
    const execution_request& how_;
    face::run_context& context_;
    std::string job_name_;
    std::size_t total_ = 0;
};

}  // namespace

void check_engine(engine on) {
    const auto there = [](const char* program, const char* option) {
        return run_child({program, option}, "/").status == 0;
    };
    if (on == engine::slurm && !there("sbatch", "--version"))
        throw face::usage_error("--engine slurm: there is no sbatch here; is this a machine of the cluster?");
}

std::string execute(const plan& of, point_store& store, const execution_request& how, face::run_context& context) {
    return executor(of, store, how, context).run();
}

}  // namespace contraflow::sweep
