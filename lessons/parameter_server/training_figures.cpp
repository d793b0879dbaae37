// The training at an instant: who holds which range, one push on its way, the workers' clocks and waits, what
// was read, and the loss.
#include "parts.h"
#include "ringside/trace/server_view.h"

namespace ringside::parameter_server_lesson {
namespace {

using namespace figure;

double in_seconds(int64_t ns) { return double(ns) * 1e-9; }

// The training that is watched, as far as the playhead has come; else the scenario's, whole.
ServerView seen(const FigureInput& input) {
  if (input.section != nullptr && input.section->has(kWorkers))
    return {input.trace, input.section, input.time_ns};
  return {input.trace, input.trace.find(kTraining)};
}

// ---- The ring -------------------------------------------------------------------------------------------

Value ring(const FigureInput& input) {
  const ServerView view = seen(input);
  const auto chains = view.chains();
  if (chains.empty()) return {};
  constexpr Ink kInks[] = {Ink::kParameters, Ink::kActivations, Ink::kOptimizer};
  Boxes all{{{tr("range"), {}}}};
  for (const auto& [range, chain] : chains)
    all.rows[0].boxes.push_back({std::to_string(range), Ink::kText, 1, false});
  for (const auto& [rank, server] : view.nodes("server")) {
    BoxRow row{server, {}, view.is_dead(rank) ? tr("killed") : ""};
    for (const auto& [range, chain] : chains) {
      const auto place = size_t(std::ranges::find(chain, rank) - chain.begin());
      const std::string word = place == 0 ? tr("owner") : tr("copy {}", place);
      row.boxes.push_back(place == chain.size() ? Box{"", Ink::kDim, 1, false}
                                                : Box{word, kInks[std::min<size_t>(place, 2)]});
    }
    all.rows.push_back(std::move(row));
  }
  return all;
}

std::string ring_sentence(const FigureInput& input) {
  const ServerView view = seen(input);
  const auto chains = view.chains();
  if (chains.empty()) return "";
  size_t copies = 99;
  for (const auto& [range, chain] : chains) copies = std::min(copies, chain.size() - 1);
  if (const auto lost = rows_in<LostRange>(view.section(), input.time_ns); !lost.empty())
    return tr("Nobody else had a copy. Begun anew: {} of {} ranges; what was pushed to them is lost.",
              lost.size(), chains.size());
  std::vector<std::string> dead;
  for (const auto& [rank, server] : view.nodes("server"))
    if (view.is_dead(rank)) dead.push_back(server);
  const std::string word = copies == 1 ? tr("1 copy") : tr("{} copies", copies);
  if (dead.empty() && copies == 0) return tr("Each range of keys has an owner, and no copy.");
  if (dead.empty())
    return tr("Each range of keys has an owner, and {} on the next servers of the ring.", word);
  const auto left =
      std::ranges::count_if(chains, [&](const auto& one) { return view.is_dead(one.second[0]); });
  const std::string names = fmt::format("{}", fmt::join(dead, ", "));
  if (left > 0)
    return tr("Dead: {}, and nobody knows it yet. Not served: {} of {} ranges.", names, left, chains.size());
  return tr("Dead: {}. Each range has an owner that lives, and {}.", names,
            copies == 0 ? tr("some have no copy") : tr("at least {}", word));
}

// ---- One push -------------------------------------------------------------------------------------------

Value messages(const FigureInput& input) {
  const ServerView view = seen(input);
  const std::vector<MessageEvent> story = needed(view.messages_of_a_push());
  Lanes lanes{{tr("time since the push was sent"), "s"}, {}, {}};
  std::map<int32_t, std::string> names = view.nodes("worker");
  names.merge(view.nodes("server"));
  std::map<int32_t, size_t> lane_of;
  for (const MessageEvent& message : story) {
    for (const int32_t rank : {message.from, message.to})
      if (lane_of.try_emplace(rank, lanes.lanes.size()).second) lanes.lanes.push_back(names[rank]);
    const bool lost = message.state == MessageState::kLost;
    const double sent = in_seconds(message.time_sent_ns - story[0].time_sent_ns),
                 came = in_seconds(message.time_received_ns - story[0].time_sent_ns);
    lanes.arrows.push_back({lane_of[message.from], lane_of[message.to], sent,
                            lost ? sent + 2e-4 : std::max(sent, came), input.trace.name(message.tag), lost});
  }
  return lanes;
}

std::vector<Attribute> messages_sentence(const FigureInput& input) {
  const auto story = needed(seen(input).messages_of_a_push());
  return {1e3 * in_seconds(story.back().time_received_ns - story.front().time_sent_ns)};
}

// ---- Workers --------------------------------------------------------------------------------------------

Value clocks(const FigureInput& input) {
  const ServerView view = seen(input);
  const auto reads = view.last<WorkerRead>();
  if (reads.empty()) return {};
  Bars bars{{tr("iteration that it computes")}, {{tr("iteration"), Ink::kParameters}}, {}};
  double oldest = HUGE_VAL;
  for (const auto& [rank, name] : view.nodes("worker")) {
    if (!reads.contains(rank)) continue;
    const auto clock = double(reads.at(rank).clock);
    const std::string alive = view.waits(rank) ? tr("waits") : "";
    bars.rows.push_back({name, {clock}, view.is_dead(rank) ? tr("killed") : alive});
    if (!view.is_dead(rank)) oldest = std::min(oldest, clock);
  }
  const Attribute* staleness = view.section()->find(kStaleness);
  if (const auto s = staleness == nullptr ? std::nullopt : staleness->number(); s && *s >= 0)
    bars.limit = Mark{tr("nobody may read beyond"), std::min(oldest, 1e9) + *s};
  return bars;
}

Value staleness(const FigureInput& input) {
  std::map<int64_t, double> reads;
  for (const WorkerRead& row : rows_in<WorkerRead>(seen(input).section(), input.time_ns))
    ++reads[std::clamp<int64_t>(row.staleness, 0, 1000)];
  if (reads.empty()) return {};
  const int64_t most = reads.rbegin()->first, wide = most / 16 + 1;
  Bars bars{{tr("reads")}, {{tr("reads"), Ink::kParameters}}, {}};
  for (int64_t from = 0; from <= most; from += wide) {
    double count = 0;
    for (int64_t behind = from; behind < from + wide; ++behind) count += reads[behind];
    const std::string name = wide == 1 ? tr("{} behind", from) : tr("{} to {} behind", from, from + wide - 1);
    bars.rows.push_back({name, {count}, {}});
  }
  return bars;
}

std::vector<Attribute> staleness_sentence(const FigureInput& input) {
  int64_t most = 0, reads = 0, late = 0;
  for (const WorkerRead& row : rows_in<WorkerRead>(seen(input).section(), input.time_ns)) {
    most = std::max(most, row.staleness);
    late += row.staleness > 0 ? 1 : 0;
    ++reads;
  }
  if (reads == 0) return {};
  return {late, reads, most};
}

Value waits(const FigureInput& input) {
  const ServerView view = seen(input);
  Bars bars{
      {tr("simulated time"), "s"}, {{tr("computes"), Ink::kParameters}, {tr("waits"), Ink::kGradients}}, {}};
  for (const auto& [rank, name] : view.nodes("worker")) {
    const double computes = view.seconds_of(rank, "compute"), waits = view.seconds_of(rank, "wait");
    bars.rows.push_back(
        {name, {computes, waits}, tr("waits {:.0f} %", 100 * waits / (computes + waits + 1e-9))});
  }
  return bars;
}

double share_waited(const ServerView& view) {  // %, of the workers' time
  double computed = 1e-9, waited = 0;
  for (const auto& [rank, name] : view.nodes("worker")) {
    computed += view.seconds_of(rank, "compute");
    waited += view.seconds_of(rank, "wait");
  }
  return 100 * waited / (computed + waited);
}

std::vector<Attribute> waits_sentence(const FigureInput& input) {
  const ServerView view = seen(input);
  if (view.nodes("worker").empty()) return {};
  return {share_waited(view)};
}

// ---- Loss -----------------------------------------------------------------------------------------------

Value loss(const FigureInput& input) {
  Lines lines{{tr("simulated time"), "s"}, {tr("loss")}, {}};
  for (const SectionView& section : input.trace.sections()) {
    if (!section.has(kWorkers)) continue;
    Line line{section.name(), hue(lines.lines.size())};
    for (const ScalarEvent& event : section.scalars(0))
      line.points.push_back({in_seconds(event.time_ns), event.value});
    if (!line.points.empty()) lines.lines.push_back(std::move(line));
  }
  const ServerView view = seen(input);
  for (const char* role : {"worker", "server"})
    for (const auto& [rank, name] : view.nodes(role)) {
      if (const auto came = view.section()->life(rank).began_ns)
        lines.marks.push_back({name, in_seconds(*came)});
      for (const NoteEvent& note : view.section()->notes(rank))
        lines.marks.push_back({tr("{} dies", name), in_seconds(note.time_ns)});
    }
  return lines;
}

}  // namespace

// Values and optimizer state that each server holds, of its own ranges and as copies; what each worker
// computes.
std::vector<LiveLine> live_lines(const FigureInput& input) {
  const ServerView view = seen(input);
  const auto held = view.last<ServerHeld>();
  std::vector<LiveLine> lines;
  for (const auto& [rank, server] : view.nodes("server"))
    if (const auto its = held.find(rank); its != held.end() && !view.is_dead(rank))
      lines.push_back({LivePart::kMemory, server, double(its->second.own), "bytes",
                       tr("{} copied", format_bytes(double(its->second.copied)))});
  for (const auto& [rank, read] : view.last<WorkerRead>())
    lines.push_back(
        {LivePart::kResults, tr("{}, iteration", view.nodes("worker")[rank]), double(read.clock)});
  return lines;
}

std::vector<Readout> training_readouts(const FigureInput& input) {
  const ServerView view = seen(input);
  if (view.section() == nullptr || view.nodes("worker").empty()) return {};
  std::vector<Readout> all;
  if (const auto& losses = view.section()->scalars(0); !losses.empty())
    all.push_back({tr("loss at the end"), tr("{:.4g}", losses.back().value)});
  if (input.open.empty())  // other questions ask for percentages as well
    all.push_back({tr("workers wait"), tr("{:.0f} % of their time", share_waited(view))});
  int64_t most = 0;
  for (const WorkerRead& row : rows_in<WorkerRead>(view.section(), input.time_ns))
    most = std::max(most, row.staleness);
  all.push_back({tr("oldest read, iterations behind"), std::to_string(most)});
  return all;
}

std::vector<FigureOf> training_figures() {
  return {{"ring", ring, ring_sentence},
          {"messages", messages, messages_sentence},
          {"clocks", clocks},
          {"staleness", staleness, staleness_sentence},
          {"waits", waits, waits_sentence},
          {"loss", loss}};
}

}  // namespace ringside::parameter_server_lesson
