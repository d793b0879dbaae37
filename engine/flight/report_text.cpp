// A report for a terminal: the picture, what is stuck, who waits for whom, and whom it points at. The picture
// has a row a rank, a column a group, and in it the last few numbers:
//
//             dp                          default
//    rank 0   ■42 ■43 ■44  ╎              ■8 ■9 □10
//   ▸rank 3   ■42 ■43 ■44 □45             ■8 ■9  ╎
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "ringside/base/text.h"
#include "ringside/flight/report.h"
#include "ringside/flight/words.h"

namespace ringside::inline flight {
namespace {

using namespace flight;

constexpr size_t kWidth = 98;
constexpr size_t kIndent = 11;   // behind a heading
constexpr size_t kMaxStuck = 3;  // that are told; the others are counted
constexpr size_t kMaxStories = 8;
constexpr int64_t kBefore = 3;        // numbers that are shown before the one that matters
constexpr size_t kMaxColumns = 4;     // groups that fit beside each other
constexpr size_t kEachItsOwnRow = 8;  // of more ranks, those that look alike share a row

bool contains(const std::vector<int>& ranks, int rank) { return std::ranges::count(ranks, rank) > 0; }

struct Column {
  size_t group = 0;
  int64_t focus = -1;  // the number that the column ends with
  bool stuck = false;
};

// What is stuck comes first; then as many as fit. A group of sends alone has no column.
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
    if (column.focus >= 0) columns.push_back(column);
  }
  std::ranges::stable_sort(columns, std::greater(), &Column::stuck);
  if (columns.size() > kMaxColumns) columns.resize(kMaxColumns);
  return columns;
}

std::string cell(const FlightReport& report, const RankStory& story, const Column& column) {
  if (!contains(report.members[column.group], story.rank)) return "";
  const int64_t completed = story.last_seq_completed[column.group];
  const int64_t scheduled = story.last_seq_scheduled[column.group];
  std::string text;
  for (int64_t seq = std::max<int64_t>(0, column.focus - kBefore); seq <= column.focus; ++seq) {
    const char* mark = seq <= completed ? "■" : seq <= scheduled ? "□" : story.dumped ? "╎" : "?";
    const std::string number = std::to_string(seq);
    text += pad(mark + (seq <= scheduled ? number : ""), number.size() + 2);
  }
  if (scheduled > column.focus) text += fmt::format("+{}", scheduled - column.focus);
  return text;
}

using Cells = std::vector<std::string>;
using Row = std::pair<Cells, std::vector<int>>;

// The heading, then the rows. The first cell of a row marks a suspect and names its ranks.
std::vector<Cells> table_of(const FlightReport& report, const std::vector<Column>& columns) {
  std::vector<Row> rows;
  for (const RankStory& story : report.ranks) {
    Cells cells = {contains(report.suspects, story.rank) ? "▸" : " "};
    for (const Column& column : columns) cells.push_back(cell(report, story, column));
    const auto alike = std::ranges::find(rows, cells, &Row::first);
    if (report.ranks.size() > kEachItsOwnRow && alike != rows.end())
      alike->second.push_back(story.rank);
    else
      rows.push_back({std::move(cells), {story.rank}});
  }
  std::vector<Cells> table = {{""}};
  for (const Column& column : columns) table[0].push_back(report.groups[column.group]);
  for (auto& [cells, ranks] : rows) {
    cells[0] += (ranks.size() == 1 ? "rank " : "ranks ") + brief_ranks(ranks);
    table.push_back(std::move(cells));
  }
  return table;
}

std::string lanes_text(const FlightReport& report) {
  const std::vector<Column> columns = choose_columns(report);
  if (columns.empty()) return "";
  const std::vector<Cells> table = table_of(report, columns);
  std::vector<std::string> lines(table.size());
  for (size_t column = 0; column < table[0].size(); ++column) {
    size_t width = 0;
    for (const Cells& row : table) width = std::max(width, ringside::columns(row[column]));
    for (size_t i = 0; i < table.size(); ++i) lines[i] += pad(table[i][column], width + 3);
  }
  std::string text;
  for (const std::string& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  if (columns.size() == kMaxColumns && report.groups.size() > columns.size())
    text += fmt::format(" and {} groups more\n", report.groups.size() - columns.size());
  return text;
}

std::string paragraph(std::string_view heading, const std::string& text) {
  return pad(heading, kIndent) + wrap(text, kWidth, kIndent) + "\n";
}

std::string stuck_text(const StuckCollective& stuck) {
  const int caller = stuck.in_it.empty() ? -1 : stuck.in_it.front();
  std::string who = fmt::format("{}: in it {}, for {}", to_string(stuck.state), brief_ranks(stuck.in_it),
                                seconds(stuck.waited_ns));
  if (!stuck.missing.empty()) who += "; not in it " + brief_ranks(stuck.missing);
  if (!stuck.disagreeing.empty()) who += "; called something else " + brief_ranks(stuck.disagreeing);
  return paragraph("stuck", describe(caller, stuck.call)) + paragraph("", who);
}

std::string all_stuck_text(const FlightReport& report) {
  std::string text;
  size_t told = 0, queued = 0;
  for (const StuckCollective& stuck : report.stuck) {
    queued += stuck.queued ? 1 : 0;
    if (!stuck.queued && told++ < kMaxStuck) text += stuck_text(stuck);
  }
  if (told > kMaxStuck) text += paragraph("", fmt::format("and {} more", told - kMaxStuck));
  if (queued > 0) text += paragraph("", fmt::format("{} more queued behind", queued));
  return text;
}

// 3 ─dp#45─▸ 0-2 ─default#10─▸ 3
std::string cycle_text(const std::vector<Wait>& cycle) {
  if (cycle.empty()) return "";
  std::string text;
  for (const Wait& wait : cycle)
    text += fmt::format("{} ─{}#{}─▸ ", brief_ranks(wait.from), wait.group, wait.seq);
  return paragraph("waits for", text + brief_ranks(cycle.front().from));
}

std::string stories_text(const FlightReport& report) {
  RanksByText told;
  for (const RankStory& story : report.ranks) add_alike(told, story.did_last, story.rank);
  std::string text;
  for (size_t i = 0; i < std::min(told.size(), kMaxStories); ++i)
    text += paragraph(i == 0 ? "last did" : "", brief_ranks(told[i].second) + ": " + told[i].first);
  if (told.size() > kMaxStories) text += paragraph("", fmt::format("and {} more", told.size() - kMaxStories));
  return text;
}

std::string suspects_text(const FlightReport& report) {
  if (!report.possible.empty())
    return paragraph("suspect", "cannot be told: one of " + name_ranks(report.possible));
  if (report.suspects.empty())
    return paragraph("suspect", report.stuck.empty() && !report.mispaired ? "nobody" : "cannot be told");
  constexpr std::array<const char*, 4> kGrounds = {
      ", not certain", ", by earlier calls: others went on as before, which is no proof",
      ", by majority: more ranks did otherwise, which is no proof", ""};
  return paragraph("suspect", name_ranks(report.suspects) + kGrounds[size_t(report.grounds)]);
}

}  // namespace

std::string report_text(const FlightReport& report) {
  const bool gone = std::ranges::any_of(report.ranks, [](const RankStory& story) { return !story.dumped; });
  return fmt::format("Flight recorder, {} ranks   ■ completed  □ called, not completed  ╎ never called{}\n",
                     report.ranks.size(), gone ? "  ? left no dump" : "") +
         lanes_text(report) + all_stuck_text(report) + cycle_text(report.cycle) + stories_text(report) +
         suspects_text(report) + wrap(report.sentence, kWidth, 0) + "\n";
}

using Ordered = nlohmann::ordered_json;

// nlohmann finds these by their name, for lists too.
static void to_json(Ordered& json, const FlightEntry& call) {
  json = {{"group", call.group},
          {"seq", call.is_p2p() ? call.p2p_seq_id : call.collective_seq_id},
          {"op", to_string(call.op)},
          {"dtype", to_string(call.dtype)},
          {"elements_in", call.elements_in},
          {"elements_out", call.elements_out},
          {"peer", call.peer},
          {"tag", call.tag},
          {"unit", call.unit},
          {"state", to_string(call.state)}};
}

static void to_json(Ordered& json, const StuckCollective& stuck) {
  json = {{"state", to_string(stuck.state)},
          {"call", stuck.call},
          {"in_it", stuck.in_it},
          {"missing", stuck.missing},
          {"disagreeing", stuck.disagreeing},
          {"waited_ns", stuck.waited_ns},
          {"queued", stuck.queued}};
}

template <typename T>
static Ordered or_null(const std::optional<T>& value) {
  return value ? Ordered(*value) : Ordered();
}

static void to_json(Ordered& json, const RankStory& story) {
  json = {{"rank", story.rank},
          {"dumped", story.dumped},
          {"waits_in", or_null(story.waits_in)},
          {"last_completed", or_null(story.last_completed)},
          {"last_seq_completed", story.last_seq_completed},
          {"last_seq_scheduled", story.last_seq_scheduled},
          {"did_last", story.did_last}};
}

static void to_json(Ordered& json, const Wait& wait) {
  json = {{"from", wait.from}, {"group", wait.group}, {"seq", wait.seq}, {"on", wait.on}};
}

std::string report_json(const FlightReport& report) {
  const Ordered json = {{"sentence", report.sentence},
                        {"suspects", report.suspects},
                        {"certain", report.grounds == Grounds::kKnown},
                        {"by_majority", report.grounds == Grounds::kMajority},
                        {"by_habit", report.grounds == Grounds::kHabit},
                        {"possible", report.possible},
                        {"groups", report.groups},
                        {"members", report.members},
                        {"stuck", report.stuck},
                        {"mispaired", or_null(report.mispaired)},
                        {"cycle", report.cycle},
                        {"ranks", report.ranks}};
  return json.dump(1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace ringside::inline flight
