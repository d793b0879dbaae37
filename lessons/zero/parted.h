// The proof's runs as pictures take them: one a training, with its words and, where its bits part, the
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attributes.h"

namespace ringside::zero_lesson {

struct ProvenRun {
  ProofCase proof;
  std::optional<ProofSetting> setting;  // none in a trace that is older than they are
  std::optional<PartedAt> parted;       // where its bits differ
  std::vector<Addend> addends;          // of that element's gradient, in both orders
  bool other_order = false;             // it adds in another order than what it is compared with
  bool equal() const { return proof.first_difference == 0; }
};

// Those of both sections, in the order in which they ran.
inline std::vector<ProvenRun> proven_runs(const Trace& trace) {
  std::vector<ProvenRun> runs;
  for (const auto& [name, other] : {std::pair(kProofSection, false), {kOrderSection, true}}) {
    const SectionView* section = trace.find(name);
    if (section == nullptr) continue;
    const auto settings = rows_as<ProofSetting>(*section);
    const auto parted = rows_as<PartedAt>(*section);
    const auto addends = rows_as<Addend>(*section);
    for (ProofCase& proof : rows_as<ProofCase>(*section)) {
      ProvenRun run{
          .proof = std::move(proof), .setting = {}, .parted = {}, .addends = {}, .other_order = other};
      const std::string label = run.proof.label();
      for (const ProofSetting& one : settings)
        if (one.label == label) run.setting = one;
      for (const PartedAt& one : parted)
        if (one.label == label) run.parted = one;
      for (const Addend& one : addends)
        if (one.label == label) run.addends.push_back(one);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

// A sum in fp32 as it was made: what was added, and what came out.
struct SumStep {
  std::string name;  // "rank 2", "micro-batch 1"
  float added = 0, sum = 0;
};
struct OrderedSum {
  std::vector<SumStep> steps;
  float total = 0;
};
// At the end: the ranks' own sums, in the order of ranks. Else the ranks of each micro-batch first.
inline OrderedSum sum_of(const std::vector<Addend>& addends, bool at_end) {
  OrderedSum all;
  float inner = 0;
  int64_t micro = -1;
  const auto close = [&] {
    if (at_end || micro < 0) return;
    all.total = micro == 0 ? inner : all.total + inner;
    all.steps.push_back({"all of micro-batch " + std::to_string(micro), inner, all.total});
  };
  for (const Addend& one : addends) {
    if (one.at_end != at_end) continue;
    if (one.micro != micro) {
      close();
      micro = one.micro;
      inner = 0;
    }
    const auto value = float(one.value);
    inner = one.rank == 0 ? value : inner + value;
    all.steps.push_back({"rank " + std::to_string(one.rank) + (at_end ? ", a + b" : ""), value, inner});
  }
  close();
  if (at_end) all.total = inner;
  return all;
}

}  // namespace ringside::zero_lesson
