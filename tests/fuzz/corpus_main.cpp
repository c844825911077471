// SPDX-License-Identifier: Apache-2.0
// fuzz_corpus TARGET PATH...: gives the fuzz target every file of the folders and files named, in order of name.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz_target.h"

namespace contraflow::fuzz {

std::map<std::string, target>& targets() {
    static std::map<std::string, target> all;
    return all;
}

namespace {

std::vector<std::filesystem::path> files_below(const std::filesystem::path& start) {
    if (std::filesystem::is_regular_file(start)) return {start};
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(start))
        if (entry.is_regular_file()) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace
}  // namespace contraflow::fuzz

int main(int argc, char** argv) {
    using namespace contraflow::fuzz;
    const auto at = argc > 1 ? targets().find(argv[1]) : targets().end();
    if (at == targets().end()) {
        std::printf("usage: fuzz_corpus TARGET PATH...; targets:");
        for (const auto& [name, t] : targets()) std::printf(" %s", name.c_str());
        std::printf("\n");
        return 2;
    }
    std::size_t inputs = 0;
    for (int i = 2; i < argc; ++i) {
        for (const auto& path : files_below(argv[i])) {
            std::ifstream in(path, std::ios::binary);
            const std::string text{std::istreambuf_iterator<char>(in), {}};
            std::printf("%s\n", path.c_str());
            std::fflush(stdout);
            at->second(text);
            ++inputs;
        }
    }
    std::printf("%zu inputs\n", inputs);
    return inputs > 0 ? 0 : 1;
}
