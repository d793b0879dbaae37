// Bytes of the mesh, of a layer, and against tokens; memory and schedules are in figures_time.cpp.
#include "parts.h"
#include "ringside/planner/run_mesh.h"

namespace ringside::lessons::megatron {
namespace {

using namespace figure;

std::string briefly(double bytes) {
  return bytes < 1000 * 1024 ? fmt::format("{:.3g} KiB", bytes / 1024)
                             : fmt::format("{:.3g} MiB", bytes / (1 << 20));
}

constexpr Ink kOfDp = Ink::kGradients, kOfTp = Ink::kActivations, kOfPp = Ink::kParameters;

Value volume(const FigureInput& input) {
  Bars bars{
      {tr("sent by a rank in a step, mean"), "bytes"}, {{"dp", kOfDp}, {"tp", kOfTp}, {"pp", kOfPp}}, {}};
  for (const char* name : {kData, kTensor, kPipe, kMesh}) {
    if (!has_ended(input.trace, name)) continue;
    const Sent sent = mean_sent(input.trace, name);
    bars.rows.push_back({ended(input.trace, name).text("mesh"), {sent.dp, sent.tp, sent.pp}, {}});
  }
  return bars;
}

std::vector<Attribute> volume_sentence(const FigureInput& input) {
  const auto [dp, tp, pp] = sent_alone(input.trace);
  return {needed(input.trace.find(kData)).ranks(), format_bytes(tp), format_bytes(dp), format_bytes(pp)};
}

// ---- The mesh ----------------------------------------------------

std::string where(const Mesh& mesh, int rank) {
  std::vector<std::string> at;
  for (const MeshDimension& one : mesh.dimensions())
    at.push_back(fmt::format("{} {}", one.name, mesh.coordinate(rank, one.name)));
  return fmt::format("{}", fmt::join(at, ", "));
}

// In this step so far, from a stage to one beside it.
double sent_to(const FigureInput& input, int from, int to) {
  const SectionView& section = *input.section;
  double bytes = 0;
  const int64_t begun = step_begin(section, from, input.time_ns);
  for (const CollectiveEvent& event : section.collectives(from))
    if (event.op == Op::kSend && event.state == CollectiveState::kCompleted && event.peer == to &&
        event.time_completed_ns >= begun && event.time_completed_ns <= input.time_ns)
      bytes += double(event.bytes_sent);
  return bytes;
}

// A row a copy of the model: its stages beside each other, in each stage its tensor parallel ranks. What is
// a rank has sent over tp stands before it; over dp it goes from row to row, over pp from one rank to the
// rank with its place in the stage before.
Value mesh(const FigureInput& input) {
  const SectionView& section = needed(input.section);
  if (!section.has("mesh")) throw NotRun();
  const Mesh mesh = Mesh::parse(section.text("mesh"), section.ranks());
  const Dimensions within = {"pp", "tp"};
  const int columns = mesh.size(within), tp = mesh.size("tp");
  Boxes boxes;
  std::vector<int> order;  // of a row's ranks: by stage, then by tp
  for (int rank = 0; rank < mesh.ranks(); ++rank) order.push_back(rank);
  std::ranges::sort(order, {}, [&](int rank) {
    return std::array{mesh.coordinate(rank, "dp"), mesh.coordinate(rank, "pp"), mesh.coordinate(rank, "tp")};
  });
  const auto gap = [](std::string text) {
    return Box{std::move(text), Ink::kOther, 1, false, "", "", {}, true};
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const int rank = order[i], column = int(i) % columns;
    const Sent sent = sent_by_rank(input.trace, section, rank, input.time_ns);
    if (column == 0) boxes.rows.push_back({tr("copy {}", mesh.coordinate(rank, "dp")), {}});
    BoxRow& row = boxes.rows.back();
    if (column > 0 && column % tp != 0) row.boxes.push_back(gap(tr("tp {}", briefly(sent.tp))));
    if (column > 0 && column % tp == 0)
      row.boxes.push_back(gap(tr("← pp {}", briefly(sent_to(input, rank, order[i - size_t(tp)])))));
    if (boxes.rows.size() > 1)
      boxes.links.push_back({{boxes.rows.size() - 2, row.boxes.size()},
                             {boxes.rows.size() - 1, row.boxes.size()},
                             tr("dp {}", briefly(sent.dp))});
    row.boxes.push_back({tr("rank {}", rank), mesh.coordinate(rank, "pp") % 2 == 0 ? kOfPp : Ink::kOther, 1,
                         true, where(mesh, rank)});
  }
  return boxes;
}

std::vector<Attribute> mesh_sentence(const FigureInput& input) {
  const SectionView& section = needed(input.section);
  Sent all;
  for (int rank = 0; rank < section.ranks(); ++rank)
    all.add(sent_by_rank(input.trace, section, rank, input.time_ns));
  return {format_bytes(all.dp), format_bytes(all.tp), format_bytes(all.pp)};
}

// ---- One layer ---------------------------------------------------

// A row a rank: x -> f -> its columns -> its rows -> g, for attention and for the MLP; below, what f and g
// send.
Value layer(const FigureInput& input) {
  const LayerCalls calls = layer_calls(input.trace, kTensor);
  constexpr std::array kParts = {"x", "f", "Q, K, V", "O", "g", "f", "gate, up", "down", "g"};
  constexpr std::array kInks = {kOfTp, kOfDp, kOfPp, kOfPp, kOfTp, kOfDp, kOfPp, kOfPp, kOfTp};
  const auto words = [&](std::string name, const auto& of_part) {
    BoxRow row{std::move(name), {}};
    for (const std::string part : kParts)
      row.boxes.push_back({of_part(part), Ink::kOther, 1, false, "", "", {}, true});
    return row;
  };
  const auto sends = [&](const char* sender, double times) {
    return [=](const std::string& part) {
      return part == sender               ? briefly(times / 2 * calls.elements * 4)
             : part == "f" || part == "g" ? tr("nothing")
                                          : "";
    };
  };
  Boxes boxes{{words(tr("cut by"), [](const std::string& part) {
    return part == "Q, K, V" || part == "gate, up" ? tr("columns")
           : part == "O" || part == "down"         ? tr("rows")
                                                   : "";
  })}};
  for (int rank = 0; rank < needed(input.trace.find(kTensor)).ranks(); ++rank) {
    BoxRow& row = boxes.rows.emplace_back(BoxRow{tr("rank {}", rank), {}});
    for (size_t i = 0; i < kParts.size(); ++i) row.boxes.push_back({kParts[i], kInks[i]});
  }
  boxes.rows.push_back(words(tr("forward"), sends("g", calls.forward)));
  boxes.rows.push_back(words(tr("backward"), sends("f", calls.backward)));
  return boxes;
}

std::vector<Attribute> layer_sentence(const FigureInput& input) {
  const LayerCalls calls = layer_calls(input.trace, kTensor);
  return {calls.forward, format_bytes(calls.elements * 4), calls.backward};
}

Value sequence(const FigureInput& input) {
  Table table{columns({"between regions a rank has", "by", "sent in a step", "activations at most"}), {}};
  for (const char* name : {kTensor, kSequence}) {
    const bool on = name == kSequence;
    const double sent = mean_sent(input.trace, name).tp, kept = peak_activations(input.trace, name);
    table.rows.push_back(cells(on ? tr("its own tokens") : tr("all tokens"),
                               on ? tr("reduce-scatter and all-gather") : tr("all-reduce"), bytes_cell(sent),
                               bytes_cell(kept)));
  }
  return table;
}

// ---- Against tokens ----------------------------------------------

Value crossing(const FigureInput& input) {
  const Crossing found = crossing_of(input.trace);
  return Lines{{tr("tokens of a micro-batch, B T"), "", true},
               {tr("sent by a rank for one layer"), "bytes", true},
               {{tr("tensor parallel"), kOfTp, Stroke::kMeasured, found.tp},
                {"ZeRO-3", kOfDp, Stroke::kMeasured, found.zero}},
               {},
               {{tr("4.5 H"), 4.5 * found.hidden}}};
}

std::string crossing_sentence(const FigureInput& input) {
  const Crossing found = crossing_of(input.trace);
  if (std::isnan(found.at())) return tr("Tensor parallelism's bytes grow with the tokens, ZeRO-3's do not.");
  return tr(
      "Tensor parallelism sends activations, ZeRO-3 parameters: from {:.0f} tokens on, tensor parallelism "
      "sends more.",
      found.at());
}

}  // namespace

std::vector<FigureOf> time_figures();  // figures_time.cpp

std::vector<FigureOf> figures() {
  std::vector<FigureOf> all = {{"volume", volume, volume_sentence},
                               {"mesh", mesh, mesh_sentence},
                               {"layer", layer, layer_sentence},
                               {"sequence", sequence},
                               {"crossing", crossing, crossing_sentence}};
  for (FigureOf& one : time_figures()) all.push_back(std::move(one));
  return all;
}

}  // namespace ringside::lessons::megatron
