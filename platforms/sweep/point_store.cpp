// SPDX-License-Identifier: Apache-2.0
#include "sweep/point_store.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "face/command_line/errors.h"
#include "face/run/run_directory.h"
#include "sweep/child_process.h"
#include "sweep/effective_configuration.h"
#include "sweep/work_files.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

fs::path made(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw face::output_error(fmt::format("cannot make {}: {}", folder.string(), error.message()));
    return folder;
}

// Makes the folder without anything in it. A job of an earlier call may open its file there while it learns that its
// point is no longer wanted, so what appears meanwhile is removed as well.
void emptied(const fs::path& folder) {
    for (int tries = 0; fs::exists(folder); ++tries) {
        std::error_code error;
        fs::remove_all(folder, error);
        if (error && (error != std::errc::directory_not_empty || tries == 1000))
            throw face::output_error(fmt::format("cannot remove {}: {}", folder.string(), error.message()));
    }
    made(folder);
}

// Writes a file that is either complete or absent.
void replace_file(const fs::path& file, std::string_view content) {
    fs::path partial = file;
    partial += ".new";
    face::write_file(partial, content);
    fs::rename(partial, file);
}

fs::path folder_beside(fs::path result) {
    result += ".points";
    return result;
}

constexpr const char* newest = "newest";

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

std::string last_line_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string line, last;
    while (std::getline(in, line)) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    }
    return last;
}

// What a run that failed says in its report: its warnings stand last on a terminal.
std::string last_line_of_report(const fs::path& directory, int exit_code) {
    const auto manifest = nlohmann::json::parse(read(directory / face::manifest_name), nullptr, false);
    const auto report = nlohmann::json::parse(read(directory / "report.json"), nullptr, false);
    if (!manifest.is_object() || !report.is_object()) return {};
    // An earlier call may have left it.
    if (manifest.value("/exit/code"_json_pointer, -1) != exit_code) return {};
    for (const char* name : {"warnings", "headline"}) {
        const auto lines = report.value(name, nlohmann::json::array());
        if (lines.is_array() && !lines.empty() && lines.back().is_string()) return lines.back().get<std::string>();
    }
    return {};
}

}  // namespace

std::string page_of(const std::string& id) { return fmt::format(".points/.sweep/{}/{}/report.html", newest, id); }

file_lock::file_lock(const fs::path& file) : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0)
        throw face::output_error(
            fmt::format("cannot open {}: {}", file.string(), std::generic_category().message(errno)));
}

file_lock::~file_lock() { ::close(descriptor_); }

bool file_lock::try_lock() { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

void file_lock::unlock() { ::flock(descriptor_, LOCK_UN); }

void file_lock::write(const std::string& text) const {
    [[maybe_unused]] const bool done =
        ::ftruncate(descriptor_, 0) == 0 && ::pwrite(descriptor_, text.data(), text.size(), 0) >= 0;
}

point_store::point_store(const fs::path& result)
    : folder_(folder_beside(result)),
      calls_(made(folder_ / ".sweep") / "sweep.lock"),
      workers_(work() / "workers.lock") {
    if (!calls_.try_lock()) {
        throw face::usage_error(fmt::format("another sweep works on {} ({}); wait for it, or choose another --out",
                                            result.string(), read(work() / "sweep.lock")));
    }
    calls_.write(fmt::format("process {} on {}", ::getpid(), host_name()));
}

bool point_store::is_finished(const plan& of, const point& p) const {
    const fs::path directory = run_directory(p);
    const auto manifest = nlohmann::json::parse(read(directory / face::manifest_name), nullptr, false);
    if (!manifest.is_object() || !manifest.contains("exit")) return false;  // marked as a run, but not complete
    // A binary or a configuration may have been replaced between planning and running.
    if (manifest["exit"].value("code", -1) != face::exit_ok) return false;
    if (manifest["binary"].value("sha256", "") != of.platform.sha256) return false;
    std::vector<fs::path> folders{of.folder};
    if (p.configuration) folders.push_back(p.configuration->parent_path());
    return identity(of.platform.name, values_of(read(directory / "config.yaml")), folders).starts_with(p.id);
}

std::vector<const point*> point_store::unfinished(const plan& of) const {
    std::vector<const point*> out;
    std::set<std::string> seen;
    for (const point& p : of.points) {
        if (seen.insert(p.directory).second && !is_finished(of, p)) out.push_back(&p);
    }
    return out;
}

void point_store::replace_earlier_calls() {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    generation_ = fmt::format("{}-{}", ::getpid(), now);
    replace_file(work() / "generation", generation_ + "\n");
}

bool point_store::idle() {
    if (!workers_.try_lock()) return false;
    workers_.unlock();
    return true;
}

// A copy of the binary, so that a rebuild during the sweep does not change it for the remaining points.
fs::path point_store::frozen_binary(const plan& of) const {
    const fs::path copy = made(work() / "bin" / of.platform.sha256.substr(0, 16)) / of.platform.name;
    if (fs::exists(copy)) return copy;
    fs::path partial = copy;
    partial += ".new";
    fs::copy_file(of.platform.binary, partial, fs::copy_options::overwrite_existing);
    fs::rename(partial, copy);
    return copy;
}

std::string point_store::command(const plan& of, const point& p, const fs::path& binary) const {
    std::vector<std::string> words = platform_command(binary, p.configuration, p.sets);
    for (const char* word : {"--jobs", "1", "--quiet", "--out"}) words.emplace_back(word);
    words.push_back(run_directory(p).string());
    std::string line = fmt::format("cd {} && exec", shell_quoted(of.folder.string()));
    for (const std::string& word : words) line += ' ' + shell_quoted(word);
    return line + "\n";
}

void point_store::prepare(const plan& of, const std::vector<const point*>& todo) {
    for (const char* name : {"todo", "ended", "errors", "arrays", "snakemake"}) { emptied(work() / name); }
    const fs::path binary = frozen_binary(of);
    for (const fs::directory_entry& entry : fs::directory_iterator(work() / "bin")) {
        if (entry.path() != binary.parent_path()) fs::remove_all(entry.path());  // left by earlier calls
    }
    for (const auto& [name, content] : work_files()) replace_file(work() / name, content);
    for (const point* p : todo) face::write_file(work() / "todo" / p->directory, command(of, *p, binary));
}

std::size_t point_store::ended() const {
    std::error_code error;
    std::size_t n = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(work() / "ended", error)) {
        if (!entry.path().filename().string().starts_with('.')) ++n;
    }
    return n;
}

void point_store::link_newest(const plan& of) const {
    const fs::path folder = made(work() / newest);
    for (const point& p : of.points) {
        if (!is_finished(of, p)) continue;
        const fs::path target = fs::path("../..") / p.directory, link = folder / p.id;
        std::error_code error;
        if (fs::read_symlink(link, error) == target) continue;
        const fs::path fresh = folder / (p.id + ".new");
        fs::remove(fresh, error);
        fs::create_directory_symlink(target, fresh);
        fs::rename(fresh, link);
    }
}

verdict point_store::judge(const plan& of, const point& p) const {
    if (is_finished(of, p)) return {ending::finished, 0, {}};
    const std::string noted = read(work() / "ended" / p.directory);
    verdict out;
    if (std::from_chars(noted.data(), noted.data() + noted.size(), out.exit_code).ec != std::errc()) return out;
    if (out.exit_code == face::exit_stopped) return {ending::not_run, 0, "stopped before its end"};
    out.end = ending::failed;
    out.message = last_line_of(work() / "errors" / p.directory);
    if (out.message.empty()) out.message = last_line_of_report(run_directory(p), out.exit_code);
    if (out.exit_code == face::exit_ok) out.message = "the configuration or the binary was changed while the sweep ran";
    // Two sweeps of the same points print the same.
    for (std::size_t at = 0; (at = out.message.find(folder_.string() + "/", at)) != std::string::npos;)
        out.message.erase(at, folder_.string().size() + 1);
    return out;
}

}  // namespace contraflow::sweep
