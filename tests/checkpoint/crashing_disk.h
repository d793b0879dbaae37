// A disk in memory that knows what is safe: a file's bytes as of its last sync(), a folder's names as of its
// last sync_folder(). crash() keeps that, and of all else what chance wants: each change of a name since then
// or not, a file's new bytes, half of them, or noise in their place. At a chosen operation it fails, or all
// stops.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ringside/checkpoint/file_system.h"

namespace ringside::testing {

struct PowerLost {};  // no Error: nothing but the test catches it

class CrashingDisk final : public FileSystem {
 public:
  enum class At : uint8_t { kNothing, kFail, kCrash };

  void plan(At what, int64_t operation) { what_ = what, left_ = operation, done_ = 0; }
  int64_t operations() const { return done_; }  // since the last plan()
  // What another process finds after the machine has started again.
  void crash(std::mt19937& random) { crash(root_, random), plan(At::kNothing, 0); }
  std::string& bytes_of(const Path& file) { return node(file)->live; }
  bool lies = false;  // planted: sync() and sync_folder() do nothing

  void make_folder(const Path& folder) override {
    operate(folder);
    auto at = root_;
    for (const Path& name : folder.relative_path()) {
      auto& next = at->names[name];
      if (!next) {
        next = std::make_shared<Node>();
        at->changes.push_back({{name, next}});
      }
      at = next;
    }
  }
  std::unique_ptr<File> create(const Path& file) override {
    operate(file);
    const auto made = std::make_shared<Node>();
    change(file.parent_path(), {{file.filename(), made}});
    return std::make_unique<OpenFile>(*this, file, made);
  }
  void sync_folder(const Path& folder) override {
    operate(folder);
    if (lies) return;
    const auto at = node(folder);
    at->safe_names = at->names;
    at->changes.clear();
  }
  void rename(const Path& from, const Path& to) override {
    operate(to);
    if (find(to)) throw CheckpointError(to.string() + ": is there");
    change(from.parent_path(), {{from.filename(), nullptr}, {to.filename(), node(from)}});
  }
  void exchange(const Path& one, const Path& other) override {
    operate(other);
    change(one.parent_path(), {{one.filename(), node(other)}, {other.filename(), node(one)}});
  }
  void remove(const Path& path) override {
    operate(path);
    if (!node(path)->names.empty()) throw CheckpointError(path.string() + ": is not empty");
    change(path.parent_path(), {{path.filename(), nullptr}});
  }
  std::vector<std::string> list(const Path& folder) override {
    operate(folder);
    std::vector<std::string> names;
    if (const auto at = find(folder))
      for (const auto& [name, entry] : at->names) names.push_back(name);
    return names;
  }
  int64_t size(const Path& file) override {
    operate(file);
    const auto at = find(file);
    return at && at->names.empty() ? std::ssize(at->live) : -1;
  }
  void read(const Path& file, int64_t offset, std::span<char> out) override {
    operate(file);
    const std::string& live = node(file)->live;
    if (static_cast<size_t>(offset) + out.size() > live.size())
      throw CheckpointError(file.string() + ": ends early");
    std::copy_n(live.data() + offset, out.size(), out.data());
  }

 private:
  struct Node;
  using Names = std::map<std::string, std::shared_ptr<Node>>;
  struct Node {  // a file, or a folder
    std::string live, safe;
    Names names, safe_names;
    std::vector<Names> changes;  // since it was synced, each in one operation; null: the name went
  };

  class OpenFile final : public File {
   public:
    OpenFile(CrashingDisk& disk, Path path, std::shared_ptr<Node> node)
        : disk_(disk), path_(std::move(path)), node_(std::move(node)) {}
    void write(std::string_view bytes) override {
      try {
        disk_.operate(path_);
      } catch (...) {  // as of a full disk
        node_->live += bytes.substr(0, bytes.size() / 2);
        throw;
      }
      node_->live += bytes;
    }
    void sync() override {
      disk_.operate(path_);
      if (!disk_.lies) node_->safe = node_->live;
    }

   private:
    CrashingDisk& disk_;
    const Path path_;
    const std::shared_ptr<Node> node_;
  };

  void operate(const Path& path) {
    if (++done_ != left_ || what_ == At::kNothing) return;
    if (what_ == At::kCrash) throw PowerLost();
    what_ = At::kNothing;
    throw CheckpointError(path.string() + ": no space left on the disk");
  }
  std::shared_ptr<Node> find(const Path& path) const {
    auto at = root_;
    for (const Path& name : path.relative_path()) {
      const auto found = at->names.find(name);
      if (found == at->names.end()) return nullptr;
      at = found->second;
    }
    return at;
  }
  std::shared_ptr<Node> node(const Path& path) const {
    if (auto found = find(path)) return found;
    throw CheckpointError(path.string() + ": is not there");
  }
  static void apply(Names& names, const Names& change) {
    for (const auto& [name, entry] : change) {
      if (entry)
        names[name] = entry;
      else
        names.erase(name);
    }
  }
  void change(const Path& folder, const Names& change) {
    const auto at = node(folder);
    apply(at->names, change);
    at->changes.push_back(change);
  }
  static void crash(const std::shared_ptr<Node>& at, std::mt19937& random) {
    if (at->live != at->safe) {
      const auto how = random() % 4;
      if (how == 0) at->live = at->safe;
      if (how == 1) at->live.resize(random() % (at->live.size() + 1));
      if (how == 2)
        for (char& c : at->live) c = static_cast<char>(random());
    }
    at->safe = at->live;
    at->names = at->safe_names;
    for (const Names& change : at->changes)
      if (random() % 2 == 0) apply(at->names, change);
    at->safe_names = at->names;
    at->changes.clear();
    for (const auto& [name, entry] : at->names) crash(entry, random);
  }

  const std::shared_ptr<Node> root_ = std::make_shared<Node>();
  At what_ = At::kNothing;
  int64_t left_ = 0, done_ = 0;
};

}  // namespace ringside::testing
