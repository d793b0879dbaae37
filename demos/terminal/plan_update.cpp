#include "plan_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "plan_words.h"
#include "ringside/base/units.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/planner/update_plan.h"

namespace ringside {
namespace {

constexpr int kRanksShown = 8, kNamesShown = 1;
constexpr int kRanksLookedAt = 4096;  // of which the one that sends the most is looked for

// Of stage 1; which rank owns what is the same in all.
struct Exchanged {
  explicit Exchanged(const ZeroSetup& setup)
      : distribution(staged(setup)), plan(distribution, setup.ranks, setup.optimizer, setup.shapes) {
    n = int(shard_ranks(setup.ranks, distribution));
    for (int rank = 0; rank < std::min(n, kRanksLookedAt); ++rank) {
      sums_sent = std::max(sums_sent, plan.sum_bytes_sent(rank));
      matrices_sent = std::max(matrices_sent, 4 * plan.matrix_elements_sent(rank));
    }
  }
  static Distribution staged(const ZeroSetup& setup) {
    Distribution distribution = setup;
    distribution.stage = 1;
    return distribution;
  }
  Distribution distribution;
  UpdatePlan plan;
  int n = 1;
  int64_t sums_sent = 0, matrices_sent = 0;  // bytes in a step, by the rank that sends the most
};

std::string megabytes(int64_t bytes) {
  return fmt::format("{:.{}f} MB", double(bytes) / 1e6, bytes < 1'000'000 ? 4 : 0);
}

void owners_text(const ZeroSetup& setup, const Exchanged& exchanged, std::ostream& out) {
  for (int rank = 0; rank < std::min(exchanged.n, kRanksShown); ++rank) {
    double work = 0;
    std::vector<std::string> names;
    for (const WholeParameter& one : exchanged.plan.whole()) {
      if (one.owner != rank) continue;
      work += one.work;
      names.push_back(tensor_words(setup.shapes[size_t(one.parameter)].name));
    }
    out << fmt::format("  rank {}: {} {}, {:.3g} multiplications", rank, names.size(),
                       names.size() == 1 ? "matrix" : "matrices", work);
    for (size_t i = 0; i < std::min<size_t>(names.size(), kNamesShown); ++i)
      out << (i == 0 ? ": " : ", ") << names[i];
    out << (names.size() > kNamesShown ? " ...\n" : "\n");
  }
  if (exchanged.n > kRanksShown)
    out << fmt::format("  and so on to rank {}; --json has all\n", exchanged.n - 1);
}

}  // namespace

Json update_json(const ZeroSetup& setup) {
  if (find_optimizer(setup.optimizer.name).granularity == Granularity::kElement || setup.shapes.empty())
    return nullptr;
  const Exchanged exchanged(setup);
  Json owners = Json::array();
  for (const WholeParameter& one : exchanged.plan.whole())
    owners.push_back({{"parameter", setup.shapes[size_t(one.parameter)].name},
                      {"owner", one.owner},
                      {"elements", one.elements},
                      {"work", one.work}});
  return {{"sums", exchanged.plan.sums()},
          {"sums_sent_bytes", exchanged.sums_sent},
          {"matrices_sent_bytes", exchanged.matrices_sent},
          {"matrices", owners}};
}

void update_text(const ZeroSetup& setup, std::ostream& out) {
  const OptimizerSpec& spec = find_optimizer(setup.optimizer.name);
  if (spec.granularity == Granularity::kElement) return;
  const char* needs = spec.whole                                 ? "whole matrices"
                      : spec.granularity == Granularity::kGlobal ? "sums over all parameters"
                                                                 : "sums over whole parameters";
  out << fmt::format("\n{} needs {}, which stages 1 to 3 cut.", spec.title, needs);
  if (setup.shapes.empty()) {
    out << fmt::format(" What it sends\nfor that follows from the shapes: --config FILE{}.\n",
                       spec.whole ? " says it, and who owns which matrix" : " says it");
    return;
  }
  const Exchanged exchanged(setup);
  if (exchanged.n == 1) {
    out << " One rank has everything.\n";
    return;
  }
  const int64_t values =
      std::accumulate(exchanged.plan.sums().begin(), exchanged.plan.sums().end(), int64_t{0});
  if (values > 0)
    out << fmt::format("\nRanks add them up in each step: {} values in fp64, {} sent.\n",
                       format_count(values), megabytes(exchanged.sums_sent));
  if (exchanged.plan.whole().empty()) return;
  out << fmt::format(
      "\nEach matrix has an owner. In a step the others send it their parts, and it\n"
      "sends them back changed, in fp32: a rank sends at most {}.\n",
      megabytes(exchanged.matrices_sent));
  owners_text(setup, exchanged, out);
}

}  // namespace ringside
