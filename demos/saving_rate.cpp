// How fast ranks save a checkpoint, against dd on the same disk, in turns.
//   saving_rate FOLDER [MIB=1024] [ROUNDS=7] [RANKS=4]
// Ours: so many ranks, threads here, each write their part, hash and flush it; then it is published. Theirs:
// dd if=/dev/zero conv=fsync of as many bytes, which hashes nothing.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/base/ratio.h"
#include "ringside/base/text.h"
#include "ringside/checkpoint/save.h"

using namespace ringside;
namespace fs = std::filesystem;

constexpr int64_t kMiB = 1 << 20, kTensor = 8 * kMiB;  // bytes of a piece

static double seconds_of(const std::function<void()>& work) {
  const int64_t start = now_ns();
  work();
  return double(now_ns() - start) * 1e-9;
}

static void save(const fs::path& folder, int64_t step, int ranks, int64_t pieces, std::string_view values) {
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([=] {
      RankFile file(disk(), folder, step, rank);
      for (int64_t piece = 0; piece < pieces; ++piece)
        file.add({fmt::format("{}.{}", rank, piece), "parameter", Dtype::kFloat32, {kTensor / 4}},
                 {{0, kTensor / 4, 0, 1}}, values);
      file.finish();
    });
  threads.clear();  // all have finished
  Manifest about;
  about.step = step, about.ranks = ranks;
  publish(disk(), folder, about, 0);
}

int main(int argc, char** argv) try {
  if (argc < 2) throw UsageError("usage: saving_rate FOLDER [MIB] [ROUNDS] [RANKS]");
  const auto word = [&](int at, int64_t standard) {
    return argc > at ? read_number<int64_t>(argv[at]).value_or(standard) : standard;
  };
  const fs::path folder = fs::path(argv[1]) / "saving_rate", file = folder / "dd.bin";
  const int ranks = int(word(4, 4));
  const int64_t rounds = word(3, 7), pieces = word(2, 1024) * kMiB / kTensor / ranks;
  const int64_t bytes = pieces * ranks * kTensor;
  std::string values(kTensor, '\0');
  RandomStream random(0, "values");
  for (char& value : values) value = char(random.next());
  fs::create_directories(folder);
  const std::string dd = fmt::format("dd if=/dev/zero of='{}' bs=1M count={} conv=fsync status=none",
                                     file.string(), bytes / kMiB);
  std::vector<double> ours, theirs;
  for (int64_t round = 0; round < rounds; ++round) {
    const auto save_once = [&] {
      ours.push_back(seconds_of([&] { save(folder, round + 1, ranks, pieces, values); }));
      fs::remove_all(folder / folder_of_step(round + 1));
    };
    if (round % 2 == 0) save_once();
    theirs.push_back(seconds_of([&] {
      if (std::system(dd.c_str()) != 0) throw InputError(dd + ": failed");
    }));
    fs::remove(file);
    if (round % 2 == 1) save_once();
    fmt::print("{:6.0f} MB/s by {} ranks, {:6.0f} MB/s by dd\n", double(bytes) * 1e-6 / ours.back(), ranks,
               double(bytes) * 1e-6 / theirs.back());
    std::fflush(stdout);
  }
  fs::remove_all(folder);
  const RatioInterval ratio = ratio_interval(theirs, ours);
  fmt::print("of dd's rate: {:.0f} % [{:.0f}, {:.0f}]\n", 100 * ratio.median, 100 * ratio.low,
             100 * ratio.high);
} catch (const Error& error) {
  std::fprintf(stderr, "saving_rate: %s\n", error.what());
  return int(error.code());
}
