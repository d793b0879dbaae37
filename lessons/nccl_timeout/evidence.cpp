#include "evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/calls.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

using namespace figure;

constexpr int64_t kWorthTelling = 20'000'000;  // ns that somebody waits
constexpr size_t kListed = 76;                 // columns of a line
const Nothing kNothingHangs{"Nothing hangs in this part."};

// ---- Who may see what -------------------------------------------------------------------

bool has_calls(const FigureInput& input) {
  if (input.section == nullptr || input.section->ranks() == 0) return false;
  const std::string kind = attribute(*input.section, kKind);
  return kind != "outputs" && kind != "plan";
}

// Cases, and act 1, whose rank is looked for in the same way.
bool may_see(const FigureInput& input, const std::string& look) {
  const std::string& name = input.section->name();
  const bool is_investigated = case_of(name) > 0 || name == "symptom" || name.starts_with("fix ");
  if (!is_investigated || is_solved(input.config, *input.section)) return true;
  return !tells(name) && std::ranges::count(looks_of(input.config), look) > 0;
}

Nothing closed(const std::string& look) {
  return {tr("This costs a look: look={}. An answer opens it as well.", look)};
}

Calls calls_of(const FigureInput& input) {
  return calls_at(input.trace, *input.section, input.time_ns, !attribute(*input.section, kEnded).empty(),
                  "dp");
}

// Where nobody has looked, the rank that printed the line.
CallView view_of(const FigureInput& input, bool all) {
  CallView view;
  view.contents = !input.is_open("what") && !input.is_open("first_bucket");
  const std::string log = attribute(*input.section, kShownLog);
  for (int rank = 0; rank < input.section->ranks(); ++rank)
    if (all || (!tells(input.section->name()) && log.starts_with(fmt::format("[rank{}]", rank))))
      view.ranks.push_back(rank);
  for (const LastOfRank& row : rows_as<LastOfRank>(*input.section))
    if (!row.dumped) view.gone.insert(static_cast<int>(row.rank));
  for (const StruckCall& row : rows_as<StruckCall>(*input.section))
    view.struck.insert({static_cast<int>(row.rank), fmt::format("{} #{}", row.group, row.call)});
  return view;
}
CallView view_of(const FigureInput& input) { return view_of(input, may_see(input, "dump")); }

std::string why_empty(const CallView& view) {
  return view.ranks.empty() ? tr("First find out which rank it was: this part names it.")
                            : tr("No collective was called yet.");
}

// ---- The looks ----------------------------------------------------------------------------

Value calls_figure(const FigureInput& input) {
  if (!has_calls(input)) return kNothingHangs;
  const CallView view = view_of(input);
  return or_nothing(call_boxes(input.trace, calls_of(input), view), why_empty(view));
}
Value time_figure(const FigureInput& input) {
  if (!has_calls(input)) return kNothingHangs;
  const CallView view = view_of(input);
  Lanes lanes = call_lanes(input.trace, calls_of(input), view);
  return lanes.items.empty() ? Value(Nothing{why_empty(view)}) : Value(lanes);
}

Value counters_figure(const FigureInput& input) {
  if (!has_calls(input)) return kNothingHangs;
  if (!may_see(input, "counters")) return closed("counters");
  const Calls calls = calls_of(input);
  Table table = call_counters(calls, view_of(input, true), kWorthTelling);
  std::vector<TableCell> deadlines(table.columns.size(), TableCell{""});
  deadlines[0].text = tr("deadline");
  for (size_t group = 0; group < calls.groups.size(); ++group)
    if (const auto own =
            number_in(*input.section, calls.groups[group].name == "dp" ? kDeadlineMs : kDefaultDeadlineMs))
      deadlines[1 + group].text = format_duration(*own / 1000);
  table.rows.push_back(std::move(deadlines));
  return table;
}

template <typename Row>
Value listing_of_ranks(const FigureInput& input, const std::string& look, std::string Row::*what,
                       const std::string& nothing) {
  if (!has_calls(input)) return kNothingHangs;
  if (!may_see(input, look)) return closed(look);
  if (attribute(*input.section, kEnded).empty()) return Nothing{tr("Nothing is logged yet.")};
  Listing listing;
  for (int rank = 0; rank < input.section->ranks(); ++rank) {
    std::string text;
    for (const Row& row : rows_as<Row>(*input.section))
      if (row.rank == rank) text = input.is_open("first_bucket") ? without_sizes(row.*what) : row.*what;
    for (const std::string& one : split(text.empty() ? tr("rank {}: {}", rank, nothing) : text, '\n'))
      for (const std::string& line : split(wrap(one, kListed, 8), '\n')) listing.lines.push_back({line});
  }
  return listing;
}

Value logs_figure(const FigureInput& input) {
  return listing_of_ranks(input, "logs", &LastOfRank::log, tr("(nothing)"));
}
Value stacks_figure(const FigureInput& input) {
  return listing_of_ranks(input, "stacks", &StackOfRank::stack, tr("(no such process, or nothing is stuck)"));
}

// It ended well. Of a fault plan of one's own only the run without it tells whether it is well.
std::string ended_sentence(const FigureInput& input) {
  if (attribute(*input.section, kEnded) != "completed") return "";
  const auto& words = input.trace.rows().outcome_text;
  const auto with = words.find("own_parameters_sha256"),
             without = words.find("own_without_parameters_sha256");
  if (input.section->name() != "own")
    return tr("It ran to its end: every collective was called by all ranks.");
  if (with == words.end() || without == words.end())
    return tr("It ran to its end: nothing noticed the fault. Now the same run without it, to compare.");
  return with->second == without->second
             ? tr("Nothing noticed the fault, and the parameters are those of the run without it.")
             : tr("Nothing noticed the fault. The parameters are not those of the run without it.");
}

std::string name_ranks(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return tr("rank {}", ranks.front());
  std::string text;
  for (size_t i = 0; i < ranks.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 < ranks.size() ? ", " : " and ", ranks[i]);
  return tr("ranks {}", text);
}

// Of the call that is waited in for the longest, as far as it may be seen.
std::string calls_sentence(const FigureInput& input) {
  if (!has_calls(input) || tells(input.section->name())) return "";
  const Calls calls = calls_of(input);
  const auto shown = view_of(input).ranks;
  const auto wait = longest_wait(calls, shown, kWorthTelling / 20);
  if (!wait) return calls.over ? ended_sentence(input) : "";
  const std::string waited = waited_words(wait->waited_ns);
  if (shown.size() == 1)
    return tr("Rank {} has waited {} (group {}, call {}). Its log does not say which rank is missing.",
              shown.front(), waited, wait->group, wait->seq);
  if (wait->missing.empty())
    return tr("All ranks are in call {} of group {} for {}, and none has completed it.", wait->seq,
              wait->group, waited);
  std::string who = name_ranks(wait->waiting);
  who[0] = 'R';
  return tr("{} {} waited {} for {} (group {}, call {}).", who, wait->waiting.size() == 1 ? "has" : "have",
            waited, name_ranks(wait->missing), wait->group, wait->seq);
}

// Who waits in what for whom, and what each did last.
Value waits_figure(const FigureInput& input) {
  if (!has_calls(input)) return kNothingHangs;
  if (!may_see(input, "verdict")) return closed("verdict");
  Graph graph;
  std::map<std::vector<int>, size_t> nodes;
  std::map<std::string, std::pair<std::set<int>, std::set<int>>> edges;
  for (const RankWait& row : rows_as<RankWait>(*input.section)) {
    auto& [from, on] = edges[tr("{} #{}", row.group, row.call)];
    from.insert(static_cast<int>(row.rank));
    on.insert(static_cast<int>(row.for_rank));
  }
  const auto node = [&](const std::set<int>& ranks, const std::string& waits_in) {
    const std::vector<int> key(ranks.begin(), ranks.end());
    const auto [place, is_new] = nodes.try_emplace(key, graph.nodes.size());
    if (is_new) graph.nodes.push_back({name_ranks(key)});
    for (const LastOfRank& row : rows_as<LastOfRank>(*input.section))
      if (row.rank == key.front() && is_new) graph.nodes.back().detail = row.did_last;
    if (!waits_in.empty())
      graph.nodes[place->second].detail =
          tr("waits in {}; before: {}", waits_in, graph.nodes[place->second].detail);
    return place->second;
  };
  for (const auto& [call, ranks] : edges) {
    const size_t from = node(ranks.first, call), to = node(ranks.second, "");
    graph.edges.push_back({from, to, call});
  }
  return or_nothing(graph,
                    tr("Nobody waits for a call that never comes. {}", attribute(*input.section, kSentence)));
}

std::string waits_sentence(const FigureInput& input) {
  return has_calls(input) && may_see(input, "verdict") ? attribute(*input.section, kSentence) : "";
}

}  // namespace

std::vector<std::string> looks_of(const Config& config) {
  std::vector<std::string> looks = split(config.text("look"), ',');
  std::erase(looks, "none");
  for (const std::string& look : looks)
    if (std::ranges::find(kLooks, look) == std::end(kLooks))
      throw UsageError("look=" + config.text("look") + ": '" + look +
                       "' is not among logs, counters, stacks, dump, verdict");
  return looks;
}

bool is_solved(const Config& config, const SectionView& section) {
  const std::string& cause = config.text("cause");
  const bool by_rank = case_of(section.name()) == 0;
  return cause == "tell" || judge(section, config.text("culprit"), cause, by_rank) == Answered::kRight;
}

std::string figure_of_look(const std::string& look) {
  return look == "dump" ? "calls" : look == "verdict" ? "waits" : look;
}

std::vector<FigureSpec> evidence() {
  std::vector<FigureSpec> figures = {
      figure_of_instant("calls", tr("The calls of each rank, by their number"), calls_figure, calls_sentence),
      figure_of_instant("time", tr("The calls of each rank, by time"), time_figure, calls_sentence),
      figure_of_run("logs", tr("What each rank printed last"), logs_figure),
      figure_of_instant("counters", tr("The last number of each group, rank by rank"), counters_figure),
      figure_of_run("stacks", tr("Where each rank's thread stood while the others waited"), stacks_figure),
      figure_of_run("waits", tr("The merged verdict: who waits for whom"), waits_figure)};
  figures.back().sentence = waits_sentence;
  figures = with_tabs(figures,
                      {tr("calls"), tr("by time"), tr("logs"), tr("counters"), tr("stacks"), tr("verdict")});
  for (FigureSpec& one : figures) one.section = "symptom";
  return figures;
}

std::vector<Readout> readouts(const FigureInput& input) {
  if (!has_calls(input)) return {};
  std::vector<Readout> lines;
  if (const auto deadline = number_in(*input.section, kDeadlineMs))
    lines.push_back({tr("deadline"), format_duration(*deadline / 1000)});
  const std::string ended = attribute(*input.section, kEnded);
  const bool hidden = tells(input.section->name()) && !may_see(input, "");
  if (ended.empty() || hidden) return lines;
  const auto after = number_in(*input.section, kEndedMs);
  lines.push_back({tr("ended"), ended == "completed" ? ended
                                : after ? tr("{} after {}", ended, format_duration(*after / 1000))
                                        : ended});
  return lines;
}

}  // namespace ringside::nccl_lesson
