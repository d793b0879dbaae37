#include "ringside/comm/link_record.h"

namespace ringside::inline comm {
namespace {

constexpr char kLatency[] = "link latency", kBandwidth[] = "link bandwidth";  // s a hop, bytes/s

}  // namespace

LinkModel scaled(const LinkModel& link, double bytes, double time) {
  return {link.name, link.latency_s * time, link.bytes_per_s * bytes / time};
}

Attributes link_attributes(const LinkModel& link) {
  if (!link.simulated()) return {};
  return {{kLatency, link.latency_s}, {kBandwidth, link.bytes_per_s}};
}

LinkModel link_in(const SectionView& section) {
  if (!section.has(kBandwidth)) return {};
  return {"", section.number(kLatency), section.number(kBandwidth)};
}

}  // namespace ringside::inline comm
