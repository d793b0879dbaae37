// `ringside predict`: a line in, a line out, "class<TAB>probability". Whatever bytes a line has are a text,
// none at all too.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "commands.h"
#include "input_lines.h"
#include "own_rank.h"
#include "ringside/base/json.h"
#include "ringside/base/text.h"
#include "train_data.h"
#include "trained.h"

namespace ringside {
namespace {

constexpr size_t kMostOfLine = size_t{1} << 20, kBatch = 32;

std::string answer(const std::vector<std::string>& classes, const std::vector<float>& shares, bool json) {
  const auto best = size_t(std::ranges::max_element(shares) - shares.begin());
  if (!json) return fmt::format("{}\t{:.4f}", printable(classes[best]), shares[best]);
  Json all = Json::object();
  for (size_t c = 0; c < classes.size(); ++c) all[classes[c]] = shares[c];
  return Json{{"class", classes[best]}, {"probability", shares[best]}, {"probabilities", all}}.dump();
}

ExitCode predict(const Options& options, std::ostream& out) {
  const TrainedRun trained(RunFolder{options.train.folder});
  Predictor predictor(trained.classifier());
  const std::chrono::milliseconds deadline(int64_t(options.train.deadline_s * 1000));
  InputLines reader(STDIN_FILENO, kMostOfLine, deadline);
  int64_t cut = 0;
  for (auto lines = reader.next(kBatch); !lines.empty() && out; lines = reader.next(kBatch)) {
    std::vector<Sample> samples;
    for (const InputLines::Line& line : lines) {
      samples.push_back({tokens_of(trained.tokenizer(), line.bytes, trained.learned().max_tokens)});
      cut += line.cut ? 1 : 0;
    }
    for (const std::vector<float>& shares : predictor.probabilities(samples))
      out << answer(trained.learned().classes, shares, options.json) << '\n';
    out << std::flush;
  }
  if (cut > 0 && !options.quiet)
    std::cerr << fmt::format("ringside: of {} lines the first {} bytes were read\n", cut, kMostOfLine);
  return ExitCode::kOk;
}

}  // namespace

// Under a launcher rank 0 has the input, and is enough.
ExitCode predict_classes(const Options& options, std::ostream& out) {
  const OwnRank own(options);
  return own.speaks() ? predict(options, out) : ExitCode::kOk;
}

}  // namespace ringside
