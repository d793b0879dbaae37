// Flat event structs: what a run leaves behind. Times are integer nanoseconds
// of one clock a section (base/clock.h). Field names of a collective follow
// PyTorch's Flight Recorder where it has them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ringside/base/field.h"

namespace ringside::inline trace {

// An interned string; Trace::name(id) gives the text. 0 is "".
using NameId = uint32_t;

// Which storage a memory event is about: a running number from 1, in the order of allocation on one rank of a
// section. No number is given twice. 0 where it is not known: files written before it existed, and events
// that do not come from the allocation hook.
using StorageId = uint64_t;

enum class Op : uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kAllToAll,
  kSend,
  kRecv,
  kBarrier
};
enum class Dtype : uint8_t { kFloat32, kBFloat16, kFloat64, kInt64, kUInt8, kFloat16, kInt32, kInt8, kBool };
enum class CollectiveState : uint8_t { kScheduled, kStarted, kCompleted, kFailed };
// What a byte of memory is for. Measured by an allocation hook, never computed.
enum class Category : uint8_t { kParameters, kGradients, kOptimizer, kActivations, kBuffers, kOther };
inline constexpr int kCategoryCount = 6;
inline constexpr std::array<Category, kCategoryCount> kCategories = {
    Category::kParameters,  Category::kGradients, Category::kOptimizer,
    Category::kActivations, Category::kBuffers,   Category::kOther};

// For to_string and from_text (base/field.h).
std::span<const std::string_view> texts(Op);               // "all_reduce", ...
std::span<const std::string_view> texts(Dtype);            // "float32", ...
std::span<const std::string_view> texts(CollectiveState);  // "scheduled", ...
std::span<const std::string_view> texts(Category);         // "parameters", ...
int64_t size_of(Dtype dtype);                              // bytes of one element

// Of bytes that a library moves out of sight.
inline constexpr int64_t kNotObservable = -1;

// One change of state of one collective on one rank: three a collective
// (scheduled, started, then completed or failed). Later times are 0 in earlier states.
struct CollectiveEvent {
  NameId group = 0;
  NameId tag = 0;   // what it carries: "gradients", "parameters", "norm", "initial", "evaluation", ...
  NameId unit = 0;  // which: "bucket 3", "layer 2"; may be ""
  int32_t rank = 0;
  int32_t peer = -1;  // send, recv, and the root of a broadcast
  int64_t collective_seq_id = 0;
  int64_t elements = 0;    // of this rank's input (an all-gather: of its contribution)
  int64_t bytes_in = 0;    // elements x size
  int64_t bytes_sent = 0;  // counted where they left this rank, or kNotObservable; only once completed
  int64_t time_created_ns = 0, time_started_ns = 0, time_completed_ns = 0;
  Op op = Op::kBarrier;
  Dtype dtype = Dtype::kUInt8;
  CollectiveState state = CollectiveState::kScheduled;
};

// One allocation, free or change of category, as the allocation hook saw it. A change of category, unit or
// tensor is two events of one storage: its bytes leave the old one and join the new one.
struct MemoryEvent {
  int64_t time_ns = 0;
  int64_t delta_bytes = 0;  // of this category
  int64_t live_bytes = 0;   // of this category on this rank, after the event
  int64_t peak_bytes = 0;   // the highest live_bytes of this category so far
  int64_t total_bytes = 0;  // of all categories on this rank, after the event
  StorageId storage = 0;    // 0 where it is not known
  NameId unit = 0;          // "layer 2", where known
  NameId tensor = 0;        // "model.layers.2.mlp.up_proj.weight", where known
  int32_t rank = 0;
  Category category = Category::kOther;
};

// A stretch of time on one rank: forward, backward, step, evaluate, wait ...
struct SpanEvent {
  int64_t start_ns = 0, end_ns = 0;
  NameId name = 0;
  NameId unit = 0;    // "layer 2", or ""
  int64_t step = -1;  // the training step, -1 outside of one
  int32_t rank = 0;
};

// A figure over steps: loss, accuracy, anything a lesson plots.
struct ScalarEvent {
  int64_t time_ns = 0;
  int64_t step = 0;
  double value = 0;
  NameId name = 0;
  int32_t rank = 0;
};

// A moment with a name: "after construction", "step entry".
struct NoteEvent {
  int64_t time_ns = 0;
  int64_t step = -1;
  NameId name = 0, unit = 0;
  int32_t rank = 0;
};

// What became of one sending of a message. The rank that sees it records it: the sender sent it, the
// receiver received it, perhaps once more, and what carries it lost it.
enum class MessageState : uint8_t { kSent, kReceived, kReceivedAgain, kLost };
std::span<const std::string_view> texts(MessageState);  // "sent", "received", "received again", "lost"

// A message that nobody has to expect, unlike a collective: the events of one `id` tell its story.
struct MessageEvent {
  int64_t id = 0;  // of the message, in its section
  int64_t bytes = 0;
  int64_t first_key = 0, keys = 0;  // the range of keys that it carries; none where keys is 0
  int64_t time_sent_ns = 0;
  int64_t time_received_ns = 0;  // 0 where it was not
  NameId tag = 0;                // what it carries: "push", "pull", ...
  int32_t from = 0, to = 0;      // ranks of the section
  int32_t rank = 0;
  MessageState state = MessageState::kSent;
};

// ---- Written once, at the end of a run ------------------------------------

// An answer is a number, or words: then the number is NaN.
struct WrongAnswer {
  std::string name;  // of the misconception: "forgot the fp32 master copy"
  double value = 0;
  std::vector<std::string> words = {};
};
struct PredictionRow {
  std::string id, question, unit;
  double answer = 0;
  std::vector<WrongAnswer> wrong = {};
  std::vector<std::string> words = {};
};

enum class Verdict : uint8_t { kHolds, kFails, kPartly, kNotTestable };
std::span<const std::string_view> texts(Verdict);  // "holds", "fails", "partly", "not_testable"

struct ClaimRow {
  std::string id, source, statement;
  Verdict verdict = Verdict::kNotTestable;
  std::string evidence;  // the measured figures, in words
};

struct LedgerReason {
  std::string name;   // "padding"
  int64_t bytes = 0;  // from a formula of its own
};
struct LedgerRow {
  std::string what;     // "memory" or "traffic"
  std::string section;  // "stage 2"
  int rank = 0;
  std::string category;              // memory: "gradients"; traffic: the tag
  std::string at;                    // memory: "step entry"; traffic: ""
  std::string op;                    // traffic: "reduce_scatter"; memory: ""
  std::optional<int64_t> predicted;  // bytes; none where only counted
  int64_t counted = 0;
  std::vector<LedgerReason> reasons;
  int64_t unexplained() const;  // counted - predicted - reasons; 0 where nothing was predicted
};

}  // namespace ringside::inline trace
