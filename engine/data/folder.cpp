// A tree of text files as a data set: list the files, read them, find their classes, cut them into windows,
// split by path. Every choice follows from a hash of the path, so neither the order of the directory nor the
// seed of a run changes what is trained on.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <ranges>

#include "corpus.h"
#include "listing.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/data/dataset.h"
#include "text_file.h"

namespace ringside::inline data {
namespace {

constexpr size_t kWindowsPerFile = 64;
constexpr size_t kTrainPerClass = 256;
constexpr size_t kTestPerClass = 64;
constexpr size_t kTestWindows = 320;  // of all classes: an evaluation takes its time
constexpr size_t kHoldOutOneIn = 5;   // files
constexpr size_t kMaxFiles = 20'000;
constexpr int64_t kMaxTotalBytes = int64_t{1} << 30;  // 1 GiB

// ---- Windows of files, and the split into training and held-out

using Windows = std::multimap<uint64_t, std::string>;  // by a hash: the first ones are a random draw

struct WindowedFile {
  int64_t found = 0;  // windows in the file
  Windows windows;    // at most kWindowsPerFile of them
};
using Classes = std::map<std::string, std::vector<WindowedFile>>;

std::vector<size_t> window_starts(std::string_view bytes, size_t width) {
  std::vector<size_t> starts = {0};
  while (starts.back() + width < bytes.size()) {
    const size_t end = starts.back() + width;
    const size_t line_end = bytes.substr(0, end + width).find('\n', end - 1);
    const size_t start = line_end == std::string_view::npos ? end : line_end + 1;
    if (2 * (bytes.size() - start) < width) break;
    starts.push_back(start);
  }
  return starts;
}

// Pieces of `width` bytes, each from the beginning of a line: the first line that
// begins after the piece before it, or within a long line the very next byte. A
// last piece shorter than half of that is left out, unless it is all there is.
WindowedFile cut_windows(const std::string& path, std::string_view bytes, int64_t width) {
  RINGSIDE_CHECK_GE(width, 1);
  const std::vector<size_t> starts = window_starts(bytes, size_t(width));
  std::multimap<uint64_t, size_t> order;  // hash, start
  for (size_t i = 0; i < starts.size(); ++i) order.emplace(mix_seed(1, path, i), starts[i]);
  WindowedFile file{.found = int64_t(starts.size()), .windows = {}};
  for (const auto& [hash, start] : order | std::views::take(kWindowsPerFile))
    file.windows.emplace(hash, bytes.substr(start, size_t(width)));
  return file;
}

// How many windows a class has at most to be tested on, one of `classes`.
size_t test_windows_per_class(size_t classes) {
  return std::clamp<size_t>(kTestWindows / classes, 1, kTestPerClass);
}

// Each class has at least two files, in the order of their hashes: the first of every kHoldOutOneIn, and at
// least one, are held out. Fills classes, train and test (in hash order, so that any part of them is a fair
// draw).
void fill_samples(const Classes& classes, int64_t max_tokens, Dataset& dataset) {
  std::multimap<uint64_t, Sample> train, test;
  for (const auto& [name, files] : classes) {
    RINGSIDE_CHECK_GE(files.size(), size_t{2});
    const size_t held_out = std::max<size_t>(1, files.size() / kHoldOutOneIn);
    std::multimap<uint64_t, std::string_view> to_train, to_test;
    for (size_t i = 0; i < files.size(); ++i)
      (i < held_out ? to_test : to_train).insert(files[i].windows.begin(), files[i].windows.end());
    const auto label = int32_t(dataset.classes.size());
    const auto draw = [&](const auto& windows, size_t most, auto& samples) {
      for (const auto& [order, bytes] : windows | std::views::take(most))
        samples.emplace(order, Sample{tokenize(bytes, max_tokens), label});
    };
    draw(to_train, kTrainPerClass, train);
    draw(to_test, test_windows_per_class(classes.size()), test);
    dataset.classes.push_back(printable(name));
  }
  for (auto& [order, sample] : train) dataset.train.push_back(std::move(sample));
  for (auto& [order, sample] : test) dataset.test.push_back(std::move(sample));
}

// ---- Files and their classes

using ReadText = std::function<TextFile(const std::string& path)>;

ReadText beneath(const std::string& root) {
  return [root](const std::string& path) { return read_text_file(root + "/" + path); };
}

// Files are read in the order of their hash, so that a bound on how much is read cuts every class alike.
Classes read_classes(const ReadText& read, std::vector<std::string> files, ClassRule rule, int64_t width,
                     Notes& notes) {
  std::ranges::stable_sort(files, {}, [](const std::string& path) { return mix_seed(0, path); });
  Classes classes;
  int64_t total_bytes = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (i >= kMaxFiles || total_bytes >= kMaxTotalBytes) {
      notes.add(Noted::kUnread, files[i]);
      continue;
    }
    const TextFile file = read(files[i]);
    for (const Noted what : file.noted) notes.add(what, files[i]);
    if (file.bytes.empty()) continue;
    total_bytes += int64_t(file.bytes.size());
    const std::string name = class_of(rule, files[i], file.bytes);
    if (name.empty())
      notes.add(Noted::kNoLanguage, files[i]);
    else
      classes[name].push_back(cut_windows(files[i], file.bytes, width));
  }
  return classes;
}

// Leaves the largest classes that can be both trained on and held out.
void drop_classes(Classes& classes, int64_t max_classes, Notes& notes) {
  std::vector<std::pair<int64_t, std::string>> by_size;  // (minus its files, name): the largest first
  for (const auto& [name, files] : classes) by_size.emplace_back(-int64_t(files.size()), name);
  std::ranges::sort(by_size);
  for (int64_t place = 0; const auto& [minus_files, name] : by_size) {
    const bool tiny = minus_files > -2;
    if (++place <= max_classes && !tiny) continue;
    notes.add(tiny ? Noted::kTinyClass : Noted::kSmallClass, name);
    classes.erase(name);
  }
}

void check_classes(const std::string& source, const Classes& classes, ClassRule rule, const Notes& notes) {
  if (classes.size() >= 2) return;
  const std::string found =
      classes.empty() ? "no class of text files was found"
                      : fmt::format("only one class was found ({})", printable(classes.begin()->first));
  std::string message = fmt::format(
      "{}: {} (classes are told apart by {}), and at least two are needed; "
      "give each class a sub-folder of its own, with two text files or more",
      source, found, rule_name(rule));
  for (const std::string& line : notes.lines()) message += "; " + line;
  throw InputError(message);
}

void note_windows(const Classes& classes, Dataset& dataset) {
  int64_t found = 0;
  for (const auto& [name, files] : classes)
    for (const WindowedFile& file : files) found += file.found;
  const size_t kept = dataset.train.size() + dataset.test.size();
  if (int64_t(kept) == found) return;
  dataset.notes.push_back(fmt::format(
      "kept {} of {} windows of the files: at most {} a file, {} to train on and {} held out a class",
      format_count(int64_t(kept)), format_count(found), kWindowsPerFile, kTrainPerClass,
      test_windows_per_class(classes.size())));
}

// `source`: for people, "folder:PATH" or "tree".
Dataset read_listing(const std::string& source, const ReadText& read, const Listing& listing, ClassRule rule,
                     const DataOptions& options, Notes& notes) {
  RINGSIDE_CHECK_GE(options.max_tokens, 2);
  RINGSIDE_CHECK_GE(options.max_classes, 2);
  Classes classes = read_classes(read, listing.files, rule, options.max_tokens - 1, notes);
  if (rule == ClassRule::kSubFolder) {
    for (const std::string& name : listing.folders)
      if (!classes.contains(name)) notes.add(Noted::kEmptyClass, name);
  }
  drop_classes(classes, options.max_classes, notes);
  check_classes(source, classes, rule, notes);
  Dataset dataset;
  fill_samples(classes, options.max_tokens, dataset);
  size_t files = 0;
  for (const auto& [name, members] : classes) files += members.size();
  dataset.description = fmt::format("{}: {} files, {} classes, one per {}", source,
                                    format_count(int64_t(files)), classes.size(), rule_name(rule));
  dataset.notes = notes.lines();
  note_windows(classes, dataset);
  dataset.sha256 = dataset_sha256(dataset);
  return dataset;
}

}  // namespace

Dataset read_folder(const std::string& path, const DataOptions& options) {
  Notes notes;
  const Listing listing = walk_tree(path, notes);
  return read_listing("folder:" + printable(path), beneath(path), listing, choose_rule(listing.files),
                      options, notes);
}

Dataset read_repository(const std::string& path, const DataOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error))
    throw InputError("data=tree: the project's own tree is not at '" + typed_path(path) +
                     "'; data=folder:PATH and data=synthetic do without it");
  Notes notes;
  const std::optional<Listing> tracked = list_tracked(path, notes);
  const std::string source = tracked ? "tree (files that git tracks)" : "tree";
  return read_listing(source, beneath(path), tracked ? *tracked : walk_tree(path, notes),
                      ClassRule::kLanguage, options, notes);
}

Dataset read_corpus(const std::string& path, const DataOptions& options) {
  const Corpus corpus = read_corpus_file(path);
  Listing listing;
  for (const auto& [name, file] : corpus.files) listing.files.push_back(name);
  Notes notes;
  return read_listing(
      fmt::format("self (this project at {})", corpus.commit.substr(0, 7)),
      [&](const std::string& name) { return corpus.files.at(name); }, listing, ClassRule::kLanguage, options,
      notes);
}

}  // namespace ringside::inline data
