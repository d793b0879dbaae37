#include "ringside/figures/hang.h"

#include <algorithm>
#include <map>
#include <set>

#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/calls.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/investigation.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/tr.h"
#include "ringside/trace/hang_rows.h"
#include "ringside/trace/measure.h"

namespace ringside::inline kit {
namespace {

using namespace figure;

constexpr int64_t kWorthTelling = 20'000'000;  // ns that somebody waits
constexpr size_t kListed = 76;                 // columns of a line

// ---- Who may see what -------------------------------------------------------------------

bool has_ended(const FigureInput& input) { return !attribute(*input.section, kEnded).empty(); }

// A training with a deadline that was watched: others have no such attribute.
bool is_watched(const FigureInput& input) {
  return input.section != nullptr && input.section->ranks() > 0 && input.section->has(kDeadlineMs);
}

bool may_see(const FigureInput& input, const std::string& look) {
  const std::string& name = input.section->name();
  if (!is_investigated(name) || !input.config.declares("look") || is_solved(input.config, *input.section))
    return true;
  return !tells(name) && std::ranges::count(looks_of(input.config), look) > 0;
}

Calls calls_of(const FigureInput& input) {
  return calls_at(input.trace, *input.section, input.time_ns, has_ended(input), "dp");
}

bool asks(const FigureInput& input, const std::vector<std::string>& questions) {
  return std::ranges::any_of(questions, [&](const std::string& one) { return input.is_open(one); });
}

// Where nobody has looked, the rank that printed the line.
CallView view_of(const FigureInput& input, bool all, const HangQuestions& questions = {}) {
  CallView view;
  view.contents = !asks(input, questions.contents);
  const std::string log = attribute(*input.section, kShownLog);
  for (int rank = 0; rank < input.section->ranks(); ++rank)
    if (all || (!tells(input.section->name()) && log.starts_with(fmt::format("[rank{}]", rank))))
      view.ranks.push_back(rank);
  for (const LastOfRank& row : rows_in<LastOfRank>(input.section))
    if (!row.dumped) view.gone.insert(int(row.rank));
  for (const StruckCall& row : rows_in<StruckCall>(input.section))
    view.struck.insert({int(row.rank), fmt::format("{} #{}", row.group, row.call)});
  return view;
}

std::string why_empty(const CallView& view) {
  return view.ranks.empty() ? tr("First find out which rank it was: this part names it.")
                            : tr("No collective was called yet.");
}

// Why a figure cannot be shown; "" where it can. look: that opens it.
std::string why_not(const FigureInput& input, const std::string& look) {
  if (!is_watched(input)) return tr("Nothing hangs in this part.");
  if (look.empty() || may_see(input, look)) return "";
  return tr("This costs a look: look={}. An answer opens it as well.", look);
}

// ---- The looks ----------------------------------------------------------------------------

Value calls_figure(const FigureInput& input, const HangQuestions& questions) {
  if (const auto why = why_not(input, ""); !why.empty()) return Nothing{why};
  const CallView view = view_of(input, may_see(input, "dump"), questions);
  return or_nothing(call_boxes(input.trace, calls_of(input), view), why_empty(view));
}
Value time_figure(const FigureInput& input, const HangQuestions& questions) {
  if (const auto why = why_not(input, ""); !why.empty()) return Nothing{why};
  const CallView view = view_of(input, may_see(input, "dump"), questions);
  Lanes lanes = call_lanes(input.trace, calls_of(input), view);
  return lanes.items.empty() ? Value(Nothing{why_empty(view)}) : Value(lanes);
}

Value counters_figure(const FigureInput& input) {
  if (const auto why = why_not(input, "counters"); !why.empty()) return Nothing{why};
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
Value listing_of_ranks(const FigureInput& input, const char* look, std::string Row::*what,
                       const std::string& nothing, const HangQuestions& questions) {
  if (const auto why = why_not(input, look); !why.empty()) return Nothing{why};
  if (!has_ended(input)) return Nothing{tr("Nothing is logged yet.")};
  Listing listing;
  for (int rank = 0; rank < input.section->ranks(); ++rank) {
    std::string text;
    for (const Row& row : rows_in<Row>(input.section))
      if (row.rank == rank) text = asks(input, questions.sizes) ? without_sizes(row.*what) : row.*what;
    for (const std::string& one : split(text.empty() ? tr("rank {}: {}", rank, nothing) : text, '\n'))
      for (const std::string& line : split(wrap(one, kListed, 8), '\n')) listing.lines.push_back({line});
  }
  return listing;
}

std::string name_ranks(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return tr("rank {}", ranks.front());
  std::string text;
  for (size_t i = 0; i < ranks.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 < ranks.size() ? ", " : " and ", ranks[i]);
  return tr("ranks {}", text);
}

// Who waits in what for whom, and what each did last.
Value waits_figure(const FigureInput& input) {
  if (const auto why = why_not(input, "verdict"); !why.empty()) return Nothing{why};
  Graph graph;
  std::map<std::vector<int>, size_t> nodes;
  std::map<std::string, std::pair<std::set<int>, std::set<int>>> edges;
  for (const RankWait& row : rows_in<RankWait>(input.section)) {
    auto& [from, on] = edges[tr("{} #{}", row.group, row.call)];
    from.insert(int(row.rank));
    on.insert(int(row.for_rank));
  }
  const auto node = [&](const std::set<int>& ranks, const std::string& waits_in) {
    const std::vector<int> key(ranks.begin(), ranks.end());
    const auto [place, is_new] = nodes.try_emplace(key, graph.nodes.size());
    if (is_new) graph.nodes.push_back({name_ranks(key)});
    std::string& detail = graph.nodes[place->second].detail;
    for (const LastOfRank& row : rows_in<LastOfRank>(input.section))
      if (row.rank == key.front() && is_new) detail = row.did_last;
    if (!waits_in.empty()) detail = tr("waits in {}; before: {}", waits_in, detail);
    return place->second;
  };
  for (const auto& [call, ranks] : edges) {
    const size_t from = node(ranks.first, call), to = node(ranks.second, "");
    graph.edges.push_back({from, to, call});
  }
  return or_nothing(graph,
                    tr("Nobody waits for a call that never comes. {}", attribute(*input.section, kSentence)));
}

// ---- Sentences ----------------------------------------------------------------------------

// It ended well. Of a fault plan of one's own only the run without it tells whether it is well.
std::string ended_sentence(const FigureInput& input) {
  if (attribute(*input.section, kEnded) != "completed") return "";
  const std::string name = input.section->name(),
                    with = outcome_text(input.trace, name + "_parameters_sha256"),
                    without = outcome_text(input.trace, name + "_without_parameters_sha256");
  if (input.section->has(kCulprit) || name.ends_with(" without"))
    return tr("It ran to its end: every collective was called by all ranks.");
  if (with.empty() || without.empty())
    return tr("It ran to its end: nothing noticed the fault. Now the same run without it, to compare.");
  return with == without
             ? tr("Nothing noticed the fault, and the parameters are those of the run without it.")
             : tr("Nothing noticed the fault. The parameters are not those of the run without it.");
}

// Of the call that is waited in for the longest, as far as it may be seen.
std::string calls_sentence(const FigureInput& input) {
  if (!is_watched(input) || tells(input.section->name())) return "";
  const Calls calls = calls_of(input);
  const auto shown = view_of(input, may_see(input, "dump")).ranks;
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

}  // namespace

std::string without_sizes(std::string log) {
  for (const std::string name : {"NumelIn=", "NumelOut="})
    for (size_t at = log.find(name); at != std::string::npos; at = log.find(name, at + 1)) {
      const size_t begin = at + name.size(),
                   end = std::min(log.find_first_not_of("0123456789", begin), log.size());
      log.replace(begin, end - begin, "?");
    }
  return log;
}

std::string ended_words(const SectionView& section) {
  std::string ended = attribute(section, kEnded);
  std::ranges::replace(ended, '_', ' ');
  if (ended == "completed") return tr("✓ runs to its end");
  return tr("✗ {} after {}", ended, format_duration(number_in(section, kEndedMs).value_or(0) / 1000));
}

std::vector<FigureSpec> hang_figures(const std::string& section, const HangQuestions& questions) {
  const auto figure = [&](const char* id, std::string tab, std::string title,
                          std::function<Value(const FigureInput&)> value, bool follows,
                          std::function<std::string(const FigureInput&)> sentence = {}) {
    FigureSpec spec{.id = id, .title = std::move(title), .value = std::move(value)};
    spec.sentence = std::move(sentence);
    spec.section = section;
    spec.follows_playhead = follows;
    spec.tab = std::move(tab);
    spec.group = tr("evidence");
    if (spec.id == "calls") spec.matters = {section, "case *"};
    return spec;
  };
  return {figure(
              "calls", tr("calls"), tr("The calls of each rank, by their number"),
              [=](const FigureInput& input) { return calls_figure(input, questions); }, true, calls_sentence),
          figure(
              "time", tr("time"), tr("The calls of each rank, by time"),
              [=](const FigureInput& input) { return time_figure(input, questions); }, true, calls_sentence),
          figure(
              "logs", tr("logs"), tr("What each rank printed last"),
              [=](const FigureInput& input) {
                return listing_of_ranks(input, "logs", &LastOfRank::log, tr("(nothing)"), questions);
              },
              false),
          figure("counters", tr("counters"), tr("The last number of each group, rank by rank"),
                 counters_figure, true),
          figure(
              "stacks", tr("stacks"), tr("Where each rank's thread stood while the others waited"),
              [](const FigureInput& input) {
                return listing_of_ranks(input, "stacks", &StackOfRank::stack,
                                        tr("(no such process, or nothing is stuck)"), {});
              },
              false),
          figure("waits", tr("verdict"), tr("The merged verdict: who waits for whom"), waits_figure, false,
                 [](const FigureInput& input) {
                   return why_not(input, "verdict").empty() ? attribute(*input.section, kSentence) : "";
                 })};
}

std::vector<Readout> hang_readouts(const FigureInput& input) {
  if (!is_watched(input)) return {};
  std::vector<Readout> lines;
  if (const auto deadline = number_in(*input.section, kDeadlineMs))
    lines.push_back({tr("deadline"), format_duration(*deadline / 1000)});
  const std::string ended = attribute(*input.section, kEnded);
  if (ended.empty() || (tells(input.section->name()) && !may_see(input, ""))) return lines;
  const auto after = number_in(*input.section, kEndedMs);
  lines.push_back({tr("ended"), ended == "completed" || !after
                                    ? ended
                                    : tr("{} after {}", ended, format_duration(*after / 1000))});
  return lines;
}

}  // namespace ringside::inline kit
