// Scalars in the file that TensorBoard reads: records of TFRecord, each of which holds an Event.
//
//   TFRecord   u64 n | u32 masked(crc of these 8 bytes) | n bytes | u32 masked(crc of these n bytes)
//              crc: CRC-32C (Castagnoli, reflected 0x82F63B78); masked(c) = rotr(c, 15) + 0xA282EAD8
//   Event      1: double wall_time, s since 1970   2: int64 step   3: string file_version   5: Summary
//   Summary    1: Value, repeated      Value   1: string tag   2: float simple_value
//
// Integers are little-endian; messages are protobuf's, a key (field << 3 | wire type), then a varint (0), 8
// bytes (1), a length and bytes (2) or 4 bytes (5). The first event has file_version "brain.Event:2".
// The layout: tensorflow/core/lib/io/record_writer.cc, core/util/event.proto, core/framework/summary.proto.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace ringside::inline trace {

uint32_t crc32c(std::span<const char> bytes);

class EventFile {
 public:
  // Makes events.out.tfevents.SECONDS.HOST.PID in the folder, which TensorBoard finds by its name.
  // InputError naming the file and the system's reason.
  explicit EventFile(const std::filesystem::path& folder);
  // One record, of this moment; flushed to the system, so that a reader sees it while the run goes on. tag:
  // "train/loss".
  void scalar(std::string_view tag, int64_t step, double value);
  const std::filesystem::path& path() const { return path_; }

 private:
  void write(const std::string& event);
  [[noreturn]] void fail() const;
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace ringside::inline trace
