// A disk whose operations pass another one's, one at a time: ranks that are threads write to it at once.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

#include "ringside/checkpoint/file_system.h"

namespace ringside::testing {

class PassedOnDisk final : public FileSystem {
 public:
  explicit PassedOnDisk(FileSystem& inner, std::chrono::milliseconds each_write = {})
      : inner_(inner), each_write_(each_write) {}

  void make_folder(const Path& folder) override {
    alone([&] { inner_.make_folder(folder); });
  }
  std::unique_ptr<File> create(const Path& file) override {
    std::unique_ptr<File> opened;
    alone([&] { opened = inner_.create(file); });
    return std::make_unique<PassedOnFile>(*this, std::move(opened));
  }
  void sync_folder(const Path& folder) override {
    alone([&] { inner_.sync_folder(folder); });
  }
  void rename(const Path& from, const Path& to) override {
    alone([&] { inner_.rename(from, to); });
  }
  void exchange(const Path& one, const Path& other) override {
    alone([&] { inner_.exchange(one, other); });
  }
  void remove(const Path& path) override {
    alone([&] { inner_.remove(path); });
  }
  std::vector<std::string> list(const Path& folder) override {
    std::vector<std::string> names;
    alone([&] { names = inner_.list(folder); });
    return names;
  }
  int64_t size(const Path& file) override {
    int64_t size = -1;
    alone([&] { size = inner_.size(file); });
    return size;
  }
  void read(const Path& file, int64_t offset, std::span<char> out) override {
    alone([&] { inner_.read(file, offset, out); });
  }

 private:
  class PassedOnFile final : public File {
   public:
    PassedOnFile(PassedOnDisk& disk, std::unique_ptr<File> inner) : disk_(disk), inner_(std::move(inner)) {}
    ~PassedOnFile() override {
      disk_.alone([&] { inner_.reset(); });
    }
    void write(std::string_view bytes) override {
      std::this_thread::sleep_for(disk_.each_write_);
      disk_.alone([&] { inner_->write(bytes); });
    }
    void sync() override {
      disk_.alone([&] { inner_->sync(); });
    }

   private:
    PassedOnDisk& disk_;
    std::unique_ptr<File> inner_;
  };
  void alone(auto&& operate) {
    const std::lock_guard lock(mutex_);
    operate();
  }

  FileSystem& inner_;
  const std::chrono::milliseconds each_write_;
  std::mutex mutex_;
};

}  // namespace ringside::testing
