// Large collectives of one group by Gloo's point-to-point calls alone: each piece goes from one rank's buffer
// to where the other needs it, without a frame and without a thread that reads. Sums are those of the frames:
// each rank receives its chunk of every peer's buffer, adds up in rank order, rounds once, and sends the
// result to all. Two ranks send each other all of it, which is as many bytes, and both add it up. A piece is
// added up while the next one is on its way.
//
// Records have been compared, so both ends know all sizes. What a rank has not asked for waits at its sender.
#pragma once

#include <gloo/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <memory>
#include <mutex>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/comm/process_group.h"

namespace ringside::inline gloo {

class GlooOrdered {
 public:
  // context: connected, and of this group alone.
  explicit GlooOrdered(std::shared_ptr<::gloo::Context> context);

  // No message; one call at a time. Returns the bytes that this rank sent. Throws where a connection ends, at
  // the deadline and once it is stopped, as the last call. Afterwards nobody touches the call's buffers.
  int64_t carry(const Collective& call, TimePoint deadline);
  // Ends a call that waits. From any thread.
  void stop();

 private:
  friend class OrderedCall;
  using Buffer = std::unique_ptr<::gloo::transport::UnboundBuffer>;
  struct Buffers {
    Buffer out, kept;
    std::vector<Buffer> to_add;  // (place)
  };
  const std::shared_ptr<::gloo::Context> context_;
  std::unique_ptr<std::byte[]> spare_;  // for pieces that are to be added up, from the first sum on
  std::mutex mutex_;                    // guards the end of buffers_ against stop()
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace ringside::inline gloo
