// Keys and values of one range as the bytes of a Push, Pull or Pulled.
#pragma once

#include "ringside/parameter_server/messages.h"

namespace ringside::ps {

Bytes encode_block(const KeyedValues& values);  // nothing where there are no values
KeyedValues decode_block(const Bytes& bytes);   // FrameError
Bytes encode_keys(const std::vector<uint64_t>& keys);
std::vector<uint64_t> decode_keys(const Bytes& bytes);  // FrameError

}  // namespace ringside::ps
