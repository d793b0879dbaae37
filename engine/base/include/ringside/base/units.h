// Figures as people read them. All are locale-independent.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::inline base {

std::string format_count(int64_t value);      // 1,048,576
std::string format_bytes(double bytes);       // 12 B, 3.00 KiB, 16.00 MiB, 2.10 GiB
std::string format_duration(double seconds);  // 1.4 ns, 120 µs, 35.2 ms, 6.1 s, 2 min 05 s
// Parses "4096", "64Ki", "1Mi", "2.5e6"; throws UsageError naming `key`.
int64_t parse_count(const std::string& text, const std::string& key);
// Throws UsageError unless the value is in [1, most].
void require_size(const char* key, int64_t value, int64_t most);

}  // namespace ringside::inline base
