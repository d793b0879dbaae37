// The mesh of ranks, and what is sent over each of its dimensions.
#include <tuple>
#include "lesson.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

// Rows: the first dimension; columns: the others, the last the fastest.
figure::Value grid(const FigureInput& input) {
  const Mesh mesh = mesh_of(input.config);
  const std::string first = mesh.dimensions().front().name;
  Dimensions others;
  for (const MeshDimension& one : mesh.dimensions())
    if (one.name != first) others.push_back(one.name);
  figure::Table table;
  table.columns.push_back({""});
  for (int rank = 0; rank < mesh.size(others); ++rank) {
    std::string name;
    for (const std::string_view other : others)
      name += fmt::format("{}{} {}", name.empty() ? "" : ", ", other, mesh.coordinate(rank, other));
    table.columns.push_back({name.empty() ? tr("ranks") : name});
  }
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    if (mesh.place(rank, others) == 0)
      table.rows.push_back({{fmt::format("{} {}", first, mesh.coordinate(rank, first))}});
    table.rows[size_t(mesh.coordinate(rank, first))].push_back({tr("rank {}", rank)});
  }
  return table;
}

std::string grid_in_words(const FigureInput& input) {
  const Mesh mesh = mesh_of(input.config);
  if (mesh.dimensions().size() == 1)
    return mesh.ranks() == 1
               ? tr("One rank has all samples.")
               : tr("All {} ranks are data parallel: each has samples of its own.", mesh.ranks());
  return tr(
      "Ranks that differ in dp have samples of their own; ranks that differ in tp share a copy of the "
      "model.");
}

struct Sent {
  int64_t bytes = 0;
  std::optional<int64_t> unexplained = {};  // none while the ledger is open
};

// Of all ranks, by group, tag and operation. A tag is sent over one group, so that its row of the ledger is
// the group's.
figure::Value sent_over(const FigureInput& input) {
  if (input.section == nullptr) throw NotRun{tr("No stage has begun.")};
  const SectionView& section = *input.section;
  std::map<std::tuple<std::string, std::string, std::string>, Sent> sent;
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const CollectiveEvent& event : section.collectives(rank))
      if (event.state == CollectiveState::kCompleted && event.bytes_sent > 0)
        sent[{input.trace.name(event.group), input.trace.name(event.tag), std::string(to_string(event.op))}]
            .bytes += event.bytes_sent;
  for (const LedgerRow& row : input.trace.rows().ledger) {
    if (row.what != "traffic" || row.section != section.name()) continue;
    for (auto& [key, one] : sent)
      if (std::get<1>(key) == row.category && std::get<2>(key) == row.op)
        one.unexplained = one.unexplained.value_or(0) + std::abs(row.unexplained());
  }
  figure::Table table{figure::columns({"over", "what", "by", "sent [B]", "unexplained [B]"}), {}};
  for (const auto& [key, one] : sent) {
    const auto& [group, tag, op] = key;
    table.rows.push_back(figure::cells(group, tag, op, one.bytes,
                                       one.unexplained ? figure::cell(*one.unexplained) : figure::cell("—")));
  }
  return table;
}

std::vector<Attribute> sent_over_in_words(const FigureInput& input) { return {needed(input.section).name()}; }

}  // namespace

std::vector<FigureOf> mesh_figures() {
  return {{"mesh", grid, grid_in_words}, {"dimensions", sent_over, sent_over_in_words}};
}

}  // namespace ringside::zero_lesson
