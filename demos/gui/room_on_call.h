// On call, without its pictures: what a job left is read by a thread of its own and told, by the same code as
// the terminal's `autopsy`.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ringside/autopsy/files.h"
#include "ringside/panel/figure_view.h"
#include "room_log_view.h"

namespace ringside::gui {

inline constexpr size_t kMostPasted = size_t{64} << 20;  // bytes

struct OnCall {
  // What is read: files and folders, or a text that was pasted or made.
  struct Source {
    std::vector<std::string> paths = {};
    std::shared_ptr<const std::string> text = {};
    std::string name = {};                   // "pasted", "example 3"; "": the paths
    std::vector<std::string> settings = {};  // files of settings that were dropped behind them
    std::string planned = {};                // of an example: what was wrong
    std::string words() const;
  };
  ~OnCall();

  // ---- Acts. What goes wrong is said in `fault`; the report that is shown stays.
  void read(Source source);                            // what was being read is given up
  void take(const std::vector<std::string>& dropped);  // settings alone join what was read
  void paste(std::string text);                        // a log, or one path
  void example();                                      // the next one
  void give_up();
  void hide_names(bool hide);
  void save(const std::string& file);  // HTML
  void look_at(const Evidence& evidence);
  void next_evidence(int direction);
  void show_log(int direction);  // another file
  void update();                 // once a frame

  // ---- What it knows
  bool reading() const { return job_.valid(); }
  bool busy() { return reading() || (lines && lines->counting()); }
  std::string progress() const;  // "Reading: 1.20 GiB"
  const std::optional<Source>& told() const { return told_; }
  const Diagnosis& report() const { return report_; }  // as it is shown, with names or without
  const std::vector<ReportSection>& sections() const { return sections_; }
  std::string log_name() const;  // which file is shown, of how many
  const std::set<int64_t>& marked() const { return marked_; }
  bool names_hidden() const { return hides_; }

  bool open = false;
  bool focus = false;                  // the field, in the next frame
  std::string typed;                   // a path
  std::string fault, note;             // what went wrong, what was done
  std::optional<std::string> save_as;  // the field of its file is shown
  bool shows_planned = false;
  std::unique_ptr<LogLines> lines;  // of the file that is shown; null: no log
  LogView view;
  figure::Value waits = figure::Nothing{};  // who waits for whom
  FigureView waits_view;
  uint64_t version = 0;  // of the report

 private:
  struct Progress {
    std::atomic<int64_t> bytes{0};
    std::atomic<bool> given_up{false};
  };
  struct Read {
    Source source;
    std::vector<std::string> logs;
    Diagnosis diagnosis;
  };
  static Read carry_out(Source source, const std::shared_ptr<Progress>& progress);
  void guarded(const std::function<void()>& act);
  void show(Read read);
  void open_log(size_t nth);
  std::vector<Evidence> all_evidence() const;

  std::shared_ptr<Progress> progress_;
  std::future<Read> job_;
  std::vector<std::future<Read>> given_up_;
  std::optional<Source> told_;
  std::vector<std::string> logs_;  // paths
  Diagnosis diagnosis_, report_;
  std::vector<ReportSection> sections_;
  bool hides_ = false;
  size_t log_ = 0;            // of logs_
  std::set<int64_t> marked_;  // lines of evidence in it
  std::optional<size_t> at_;  // of all_evidence()
  uint64_t example_ = 0;
};

// Ranks that wait, and whom for.
figure::Value waits_figure(const Diagnosis& diagnosis);

}  // namespace ringside::gui
