// What the logs and the dumps of a job say of why it stopped: never more than the evidence. Two causes that
// cannot be told apart are both named.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/autopsy/log.h"
#include "ringside/autopsy/settings.h"
#include "ringside/flight/dump.h"

namespace ringside::inline logs {

enum class Cause : uint8_t {
  kException,    // a rank's own exception
  kOutOfMemory,  // of a GPU
  kKilled,       // a process was killed from outside, or for want of host memory
  kCrash,        // a segmentation fault or bus error
  kGpuFault,     // a CUDA error, ECC, Xid
  kOtherCall,    // ranks made different calls, or in another order
  kOtherSize,    // ranks made one call with different sizes or types
  kAbsent,       // a rank never came to the call: it skipped it, is late, or hangs elsewhere
  kBusy,         // a rank is late, and the log says with what: tokenizing, a checkpoint
  kTransport,    // network, links between GPUs, or a kernel of NCCL that is stuck
  kPeerLost,     // another rank ended first; which one is not said
  kRendezvous,   // the ranks never all met
  kSetup,        // one GPU twice, shared memory, versions, network interface
  kNothing       // no sign of a failure
};
inline constexpr std::string_view kCauseTexts[] = {
    "exception", "out_of_memory", "killed",    "crash",     "gpu_fault",  "other_call", "other_size",
    "absent",    "busy",          "transport", "peer_lost", "rendezvous", "setup",      "nothing"};
inline std::span<const std::string_view> texts(Cause) { return kCauseTexts; }

enum class Sure : uint8_t { kCertain, kLikely, kCannotBeTold };
inline constexpr std::string_view kSureTexts[] = {"certain", "likely", "cannot be told"};
inline std::span<const std::string_view> texts(Sure) { return kSureTexts; }

// A tensor, or all of a layer, in what a call carries.
struct CarriedPart {
  std::string name;
  int64_t elements = 0;
};

struct Finding {
  Cause cause = Cause::kNothing;
  Sure sure = Sure::kCannotBeTold;
  std::vector<int> ranks{};  // whom it blames; empty: not known
  std::string sentence{};
  std::vector<Evidence> evidence{};
  std::string model{};  // of what is carried: the released model it would fit; "": the user's own
  std::vector<CarriedPart> parts{};  // of what is carried; their sum is the call's number of elements
};

// Ranks `from` wait in a call for ranks `on`.
struct WaitFor {
  std::vector<int> from{};
  std::string call{};          // "#41 ALLREDUCE of 1,024 elements of group 0"
  std::vector<int> on{};       // empty: it cannot be told
  Sure sure = Sure::kCertain;  // of `on`
};

struct AutopsyOptions {
  std::string config_file;    // of the model that was trained; "": as the settings have it
  JobSettings settings;       // those of the log are added to them
  std::string models_folder;  // released configurations, for a shortlist; "": none
  int64_t bucket_size = 0;    // elements; 0: that of the settings, or 500,000,000
};

struct Diagnosis {
  std::vector<Finding> first;      // what stopped first. Several: one of these, and it cannot be told which
  std::vector<Finding> waits;      // who waits where
  std::vector<Finding> carries;    // what the waiting call carries
  std::vector<WaitFor> waits_for;  // the same as `waits`, for a picture
  std::vector<Finding> job;        // what its settings say
  std::vector<std::string> settle, try_first, no_help;
  std::string torch;  // version, as Log::torch
  int64_t lines = 0;
  int ranks = 0;  // that were seen
  int dumps = 0;
  std::vector<std::string> not_read;  // files, and why
};

// InputError for a model_config that cannot be read.
Diagnosis diagnose(const Log& log, const std::vector<FlightDump>& dumps, const AutopsyOptions& options);
// A log alone.
Diagnosis autopsy(std::string_view text, const AutopsyOptions& options = {});

// The report, part by part, in the order in which it is told. One of the two lists holds something.
struct ReportSection {
  std::string id;       // "first", "try_first"
  std::string heading;  // "What stopped first"
  std::string word;     // "first": in a narrow column
  std::vector<Finding> findings{};
  std::vector<std::string> lines{};
};
std::vector<ReportSection> report_sections(const Diagnosis& diagnosis);

std::string diagnosis_headline(const Diagnosis& diagnosis);  // "120 lines, 8 ranks named, PyTorch 2.4"
std::string diagnosis_text(const Diagnosis& diagnosis, size_t columns = 98);  // for a terminal
std::string diagnosis_json(const Diagnosis& diagnosis);                       // one document
std::string diagnosis_markdown(const Diagnosis& diagnosis);                   // for an issue
std::string diagnosis_html(const Diagnosis& diagnosis);                       // one file, without a script
// Hosts, users, addresses and paths become "HOST", "USER", "IP" and the last part of the path.
std::string redacted(std::string_view text);
Diagnosis redacted(Diagnosis diagnosis);  // every text in it
// "export A=1 B=2": the variables that would settle it; "" where there are none.
std::string environment_of(const Diagnosis& diagnosis);

}  // namespace ringside::inline logs
