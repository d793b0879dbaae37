#include "lanes.h"

#include <algorithm>

#include <fmt/format.h>

#include "ringside/base/text.h"
#include "ringside/flight/words.h"

namespace ringside::flight {
namespace {

constexpr int64_t kBefore = 3;        // numbers that are shown before the one that matters
constexpr size_t kMaxGroups = 4;      // that fit beside each other
constexpr size_t kEachItsOwnRow = 8;  // ranks

struct Column {
  size_t group = 0;
  int64_t focus = -1;  // the number that the column ends with
  bool stuck = false;
};

// What is stuck comes first; then as many as fit.
std::vector<Column> choose_columns(const FlightReport& report) {
  std::vector<Column> columns;
  for (size_t g = 0; g < report.groups.size(); ++g) {
    Column column{.group = g};
    for (const RankStory& story : report.ranks)
      column.focus = std::max(column.focus, story.last_seq_scheduled[g]);
    for (const StuckCollective& stuck : report.stuck) {
      if (stuck.call.group != report.groups[g] || stuck.call.is_p2p() || stuck.queued) continue;
      column.focus = stuck.call.collective_seq_id;
      column.stuck = true;
    }
    if (column.focus >= 0) columns.push_back(column);  // not of sends alone
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [](const Column& a, const Column& b) { return a.stuck > b.stuck; });
  if (columns.size() > kMaxGroups) columns.resize(kMaxGroups);
  return columns;
}

std::string cell(const RankStory& story, const Column& column) {
  const int64_t completed = story.last_seq_completed[column.group];
  const int64_t scheduled = story.last_seq_scheduled[column.group];
  std::string text;
  for (int64_t seq = std::max<int64_t>(0, column.focus - kBefore); seq <= column.focus; ++seq) {
    const char* mark = seq <= completed ? "■" : seq <= scheduled ? "□" : story.dumped ? "╎" : "?";
    const std::string number = seq <= scheduled ? std::to_string(seq) : "";
    text += pad(mark + number, std::to_string(seq).size() + 2);
  }
  if (scheduled > column.focus) text += fmt::format("+{}", scheduled - column.focus);
  return text;
}

struct Row {
  std::vector<int> ranks;
  bool suspect = false;
  std::vector<std::string> cells;
};

std::vector<Row> choose_rows(const FlightReport& report, const std::vector<Column>& columns) {
  std::vector<Row> rows;
  for (const RankStory& story : report.ranks) {
    Row row{.ranks = {story.rank}, .cells = {}};
    const auto& suspects = report.suspects;
    row.suspect = std::find(suspects.begin(), suspects.end(), story.rank) != suspects.end();
    for (const Column& column : columns) {
      const std::vector<int>& members = report.members[column.group];
      const bool member = std::find(members.begin(), members.end(), story.rank) != members.end();
      row.cells.push_back(member ? cell(story, column) : "");
    }
    const auto alike = std::find_if(rows.begin(), rows.end(), [&](const Row& other) {
      return other.suspect == row.suspect && other.cells == row.cells;
    });
    if (report.ranks.size() > kEachItsOwnRow && alike != rows.end())
      alike->ranks.push_back(story.rank);
    else
      rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<std::string> draw_lanes(const FlightReport& report) {
  const std::vector<Column> columns = choose_columns(report);
  if (columns.empty()) return {};
  const std::vector<Row> rows = choose_rows(report, columns);
  std::vector<std::vector<std::string>> table(1, {""});
  for (const Column& column : columns) table[0].push_back(report.groups[column.group]);
  for (const Row& row : rows) {
    table.push_back({(row.suspect ? "▸" : " ") +
                     ((row.ranks.size() == 1 ? "rank " : "ranks ") + brief_ranks(row.ranks))});
    table.back().insert(table.back().end(), row.cells.begin(), row.cells.end());
  }
  std::vector<std::string> lines(table.size());
  for (size_t column = 0; column < table[0].size(); ++column) {
    size_t width = 0;
    for (const auto& row : table) width = std::max(width, ringside::columns(row[column]));
    for (size_t i = 0; i < table.size(); ++i) lines[i] += pad(table[i][column], width + 3);
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  if (columns.size() == kMaxGroups && report.groups.size() > columns.size())
    lines.push_back(fmt::format(" and {} groups more", report.groups.size() - columns.size()));
  return lines;
}

}  // namespace ringside::flight
