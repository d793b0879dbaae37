// What was sent over which link, and kept, from the trace alone.
#include "parts.h"
#include "ringside/ledger/ledger.h"

namespace ringside::lessons::hybrid {
namespace {

const SectionView* ended(const Trace& trace, const std::string& name) {
  const SectionView* section = trace.find(name);
  return section != nullptr && section->has("steps") && section->integer("steps") > 0 ? section : nullptr;
}

// In elements per parameter and step.
template <typename Take>
void visit_sent(const Trace& trace, const SectionView& section, const Take& take) {
  const double whole = section.number("parameters") * section.number("steps");
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const CollectiveEvent& event : section.collectives(rank)) {
      const std::string& what = trace.name(event.tag);
      if (event.state != CollectiveState::kCompleted || event.bytes_sent <= 0) continue;
      if (what == "parameters" || what.starts_with("gradients"))
        take(event, what, double(event.bytes_sent) / size_of(event.dtype) / whole);
    }
}

std::optional<Sent> sent_over_links(const Trace& trace, const std::string& name) {
  const SectionView* section = ended(trace, name);
  if (section == nullptr) return std::nullopt;
  const auto ranks = size_t(section->ranks());
  const int64_t of_node = std::max<int64_t>(1, section->ranks() / section->integer(kNodes));
  Sent sent{.of_node = of_node};
  sent.by_link.assign(ranks, std::vector<double>(ranks));
  visit_sent(trace, *section, [&](const CollectiveEvent& event, const std::string& what, double elements) {
    if (event.op != Op::kSend) return;
    const double mean = elements / double(ranks);
    const bool crosses = event.rank / of_node != event.peer / of_node;
    (crosses ? sent.between : sent.inside) += mean;
    if (crosses && what == "parameters") sent.parameters_between += mean;
    sent.by_link[size_t(event.rank)][size_t(event.peer)] += elements;
  });
  return sent;
}

}  // namespace

int64_t nodes_of(const Trace& trace) {
  return trace.sections().empty() ? 0 : trace.sections().front().integer(kNodes);
}

std::optional<Scheme> scheme_of(const Trace& trace, int64_t replicas) {
  const auto sent = sent_over_links(trace, section_of(replicas, true));
  const auto keeps = bytes_at(trace, section_of(replicas), kAfterStep);
  if (!sent || !keeps) return std::nullopt;
  return Scheme{section_of(replicas), *sent, *keeps};
}

std::optional<double> sent(const Trace& trace, const std::string& name) {
  const SectionView* section = ended(trace, name);
  if (section == nullptr) return std::nullopt;
  double all = 0;
  visit_sent(trace, *section, [&](const auto&, const auto&, double elements) { all += elements; });
  return all / section->ranks();
}

std::optional<double> bytes_at(const Trace& trace, const std::string& name, const char* at,
                               const std::string& category) {
  const SectionView* section = ended(trace, name);
  if (section == nullptr) return std::nullopt;
  std::optional<double> bytes;
  for (const LedgerRow& row : count_rows(trace, *section)) {
    const bool of_state =
        row.category == "parameters" || row.category == "gradients" || row.category == "optimizer";
    if (row.what == "memory" && row.rank == 0 && row.at == at && of_state &&
        (category.empty() || row.category == category))
      bytes = bytes.value_or(0) + double(row.counted) / section->number("parameters");
  }
  return bytes;
}

}  // namespace ringside::lessons::hybrid
