#include "ringside/comm/link_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline comm {
namespace {

constexpr double kMicro = 1e-6;
constexpr double kGiga = 1e9;

// Takes "NUMBERunit" from the front of `text`; empty where it does not stand there or is out of range.
std::optional<double> take(std::string_view& text, std::string_view unit, double least, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= least && value <= most)) return std::nullopt;
  text.remove_prefix(size_t(end - text.data()));
  if (!text.starts_with(unit)) return std::nullopt;
  text.remove_prefix(unit.size());
  return value;
}

std::optional<LinkModel> parse_custom(const std::string& text) {
  std::string_view rest = text;
  const auto latency_us = take(rest, "us/", 0, 1e6);
  if (!latency_us) return std::nullopt;
  const auto gigabytes = take(rest, "GBps", 1e-3, 1e5);
  if (!gigabytes || !rest.empty()) return std::nullopt;
  return LinkModel{text, *latency_us * kMicro, *gigabytes * kGiga};
}

}  // namespace

double LinkModel::seconds(int64_t hops, int64_t bytes) const {
  if (!simulated()) return 0;
  return latency_s * double(hops) + double(bytes) / bytes_per_s;
}

int64_t hops(Op op, int size) {
  if (size == 1) return 0;
  if (op == Op::kAllReduce) return 2 * (size - 1);
  const bool chunk_by_chunk = op == Op::kReduceScatter || op == Op::kAllGather || op == Op::kAllToAll;
  return chunk_by_chunk ? size - 1 : 1;
}

std::vector<LinkModel> link_presets() {
  return {{"nvlink", 3 * kMicro, 450 * kGiga},
          {"pcie", 10 * kMicro, 25 * kGiga},
          {"100g", 5 * kMicro, 12.5 * kGiga},
          {"ethernet", 50 * kMicro, 0.125 * kGiga}};
}

std::vector<std::string> link_names() {
  std::vector<std::string> names = {LinkModel().name};
  for (const LinkModel& preset : link_presets()) names.push_back(preset.name);
  return names;
}

std::string link_figures() {
  std::vector<std::string> all;
  for (const LinkModel& preset : link_presets())
    all.push_back(fmt::format("{} ({:g} GB/s, {:g} us)", preset.name, preset.bytes_per_s / kGiga,
                              preset.latency_s / kMicro));
  return fmt::format("{}", fmt::join(all, ", "));
}

LinkModel parse_link(const std::string& text) {
  if (text == LinkModel().name) return {};
  for (const LinkModel& preset : link_presets())
    if (preset.name == text) return preset;
  if (const auto custom = parse_custom(text)) return *custom;
  throw UsageError("link=" + as_typed(text) + ": allowed are " +
                   fmt::format("{}", fmt::join(link_names(), ", ")) +
                   ", or latency (0 to 1e6 us) and bandwidth (1e-3 to 1e5 GBps) as in 50us/0.1GBps");
}

}  // namespace ringside::inline comm
