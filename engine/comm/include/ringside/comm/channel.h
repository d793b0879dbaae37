// A Channel carries ordered bytes between two ranks. A ChannelHub has one to each other rank, and makes every
// collective of them: a transport between processes, or hosts, is a Channel of a few lines
// (processes/socket_channel.cpp). Ranks as threads have a faster way (wiring.h).
//
// The frames of all groups travel over one Channel. A hub reads each on a thread of its own and files frames
// by group, lane and sender, so that a write never waits for a peer that writes too.
//
// A call begins with its record, which every rank sends to every other; each compares them all. Then data,
// which comes with the record where it is small, moves in the same order as between threads, so sums have the
// same bits: rank r receives its chunk of every peer's buffer, adds up in rank order, rounds once, and sends
// the result to all.
//
// A rank that has been blocked for a moment asks the others what they wait in, so that a cycle of waits over
// several groups is found between processes too.
//
// Bytes from outside are bounded before they are believed: a frame that is too large, of another version, or
// not what the protocol has next ends the connection, and its peer is lost.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/comm/wiring.h"

namespace ringside::inline comm {

class Channel {
 public:
  virtual ~Channel() = default;
  enum class Written { kAll, kLate, kLost };
  // All bytes, in the order of the calls; kLate and kLost: perhaps a part of them. One thread at a time.
  // Where that was late the hub shuts the channel, unless it keeps the rest.
  virtual Written write(const void* from, size_t bytes, TimePoint deadline) = 0;
  // The bytes of a header, then others: two writes, or one message where a channel is made of messages.
  virtual Written write_behind(std::span<const std::byte> header, const void* from, size_t bytes,
                               TimePoint deadline) {
    const Written written = write(header.data(), header.size(), deadline);
    return written == Written::kAll && bytes > 0 ? write(from, bytes, deadline) : written;
  }
  // After kLate: nothing was begun, or the rest goes out ahead of the next write.
  virtual bool keeps_rest() const { return false; }
  // Waits for all bytes. False: the peer is gone, or shut() was called. One thread at a time.
  virtual bool read(void* to, size_t bytes) = 0;
  // Ends a read() that waits, here and at the peer. From any thread.
  virtual void shut() = 0;
};

// Another way than frames for the calls that it takes, of one rank: a library's own collectives, which hide
// what they send and add in an order of their own, or a transport's, which count. The hub compares records
// first and hands the call over.
class OwnCollectives {
 public:
  virtual ~OwnCollectives() = default;
  virtual bool reaches(Device device) const { return device == Device::kCpu; }
  virtual bool takes(const Collective& call) const = 0;
  virtual bool counts_bytes() const { return false; }
  struct Carried {
    Channel::Written how;      // kLost: stop() too
    std::string trouble = {};  // of a lost call: what the library said of it, if it ended it by itself
    int64_t sent = 0;          // bytes, where it counts them
  };
  // Until the call is over. Each group has a number, the same on every rank.
  virtual Carried carry(uint64_t group, const std::vector<int>& ranks, int place, const Collective& call,
                        TimePoint deadline) = 0;
  // Ends a call that is being carried in that group. From any thread; it waits for nothing.
  virtual void stop(uint64_t group) = 0;
};

struct ChannelState;

// This rank's channels, and what has come in: for one run after the other, until one is aborted. Safe from
// any thread.
class ChannelHub final : public ProcessWiring, public std::enable_shared_from_this<ChannelHub> {
 public:
  // channels: (rank), null at `rank` itself. description: "ranks as processes, Unix sockets". own: null for
  // none.
  ChannelHub(int rank, std::vector<std::unique_ptr<Channel>> channels, std::string description,
             std::shared_ptr<OwnCollectives> own = nullptr);
  ~ChannelHub() override;
  ChannelHub& operator=(ChannelHub&&) = delete;

  int rank() const override;
  int size() const override;
  bool reaches(Device device) const override;
  std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                     int place) override;
  void abort(int rank, const Failure& failure) override;
  void look_for_cycle() override;
  void show(const FlightRecorder& flight, const std::string& prefix) override;
  void hide(const FlightRecorder& flight) override;

 private:
  class End;
  const std::unique_ptr<ChannelState> state_;
  const std::string description_;
};

}  // namespace ringside::inline comm
