// The events of a log by what they tell, for the rules that decide.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ringside/autopsy/diagnosis.h"

namespace ringside::inline logs {

// One rank waits in one call of one group.
struct Waiting {
  int rank = -1;
  std::string group;  // "": not known
  LoggedCall call;
  const LogEvent* event = nullptr;
};

struct Clues {
  const Log& log;
  const JobSettings& settings;
  int64_t world = 0;                   // ranks of the job; 0: neither the settings nor the log say it
  std::vector<int> silent;             // of the world: those that no line names
  std::vector<Waiting> waiting;        // a rank's first timeout in each group
  std::vector<const LogEvent*> own;    // failures of ranks themselves, none of which follows from a timeout
  std::vector<const LogEvent*> later;  // the same, but after the first timeout
  const LogEvent* first_timeout = nullptr;

  std::vector<const LogEvent*> of(LogEventKind kind) const;
  const LogEvent* first(LogEventKind kind) const;  // null: there is none
  // Each of these was alive until its launcher ended it (SIGTERM), so that none failed by itself.
  bool ended_by_launcher(const std::vector<int>& ranks) const;
  // Behind the first timeout: by the lines in one file, by their times in two.
  bool is_behind(const LogEvent& event) const;
  Evidence evidence(const LogEvent& event) const {
    return {log.place(event.file, event.line), event.text, event.file, event.line};
  }
};
Clues clues_of(const Log& log, const JobSettings& settings);

// The clocks of two hosts may differ by more than this; where they do, what is told of their order is wrong,
// so that nothing that goes by times is certain.
inline constexpr int64_t kClocksMs = 1000;
// From a to b by the times of their lines; nothing where one has none, or their zones may differ.
std::optional<int64_t> apart_ms(const LogEvent& a, const LogEvent& b);

std::string rank_words(int rank);  // "rank 3", "a rank"
// Adds it to one of a diagnosis' lists; the sentence begins in upper case.
Finding& add_finding(std::vector<Finding>& to, Cause cause, Sure sure, const std::string& sentence,
                     std::vector<Evidence> evidence = {}, std::vector<int> ranks = {});
// Who waits where, and what is known of the job: no cause, and certain.
Finding& add_fact(std::vector<Finding>& to, const std::string& sentence, std::vector<Evidence> evidence = {});

// Each adds what it can tell to `diagnosis.first`, and returns whether it did.
bool by_setup(const Clues& clues, Diagnosis& diagnosis);
bool by_mismatch(const Clues& clues, Diagnosis& diagnosis);
bool by_own_failure(const Clues& clues, Diagnosis& diagnosis);
bool by_dumps(const std::vector<FlightDump>& dumps, Diagnosis& diagnosis);
bool by_network(const Clues& clues, Diagnosis& diagnosis);
bool by_waiting(const Clues& clues, Diagnosis& diagnosis);  // adds to `waits` too
bool by_store(const Clues& clues, Diagnosis& diagnosis);
bool by_peer(const Clues& clues, Diagnosis& diagnosis);

// What the launchers' lines and DeepSpeed's in a log say, behind what `settings` has.
void add_settings_of(const Log& log, JobSettings& settings);
void add_progress(const Clues& clues, Diagnosis& diagnosis);
void add_job(const Clues& clues, Diagnosis& diagnosis);
std::string place_of_ranks(const JobSettings& settings,
                           const std::vector<int>& ranks);  // "rank 12: node 1, local rank 4"
// What a call of that size is for, by how the job shards: "a bucket of gradients"; and the setting that says
// it.
inline constexpr int64_t kDefaultBucket = 500'000'000;  // of DeepSpeed, elements
struct Purpose {
  std::string words;
  const Setting* from = nullptr;
};
std::optional<Purpose> purpose_of(const std::string& op, int64_t elements, const JobSettings& settings);

void add_carried(const Clues& clues, const std::vector<FlightDump>& dumps, const AutopsyOptions& options,
                 Diagnosis& diagnosis);
// After the causes: whom it blames is waited for.
void add_waits_for(const Clues& clues, const std::vector<FlightDump>& dumps, Diagnosis& diagnosis);
void add_advice(const Clues& clues, Diagnosis& diagnosis);

// Of a report: sentences, evidence and lines.
void for_each_text(Diagnosis& diagnosis, const std::function<void(std::string&)>& change);

// The waiting ranks of a group, by the call that each of them is at.
using Group = std::vector<const Waiting*>;

std::string in_group(const std::string& group);  // " of group 0(default_pg)"; "" where it is not known
std::vector<int> ranks_of(const Group& group);   // in order, each once
// Waiting calls by the name of their group; "" where no line says it.
std::map<std::string, Group> by_group(const Clues& clues);

// Where the ranks of a group are: each at its first call in it.
struct Sides {
  std::map<std::string, Group> all;  // by what they call
  bool ops = false, sizes = false, seqs = false;
  bool differ() const { return all.size() > 1 && (ops || sizes || seqs); }
};
Sides sides_of(const Group& group);

}  // namespace ringside::inline logs
