// How the plans of buckets are worded, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "json_text.h"
#include "ringside/planner/reducer.h"

namespace ringside {

// "layer 25's down_proj", "layer 3's q_proj.bias", "vision's blocks.0.attn.qkv", "head's bias"; of a group
// with one tensor the group: "embedding".
std::string tensor_words(const std::string& parameter);

// "head 899,835 + final norm 3,584 + layers 27 to 24 (4 × 233,057,792) + layer 23's down_proj 67,895,296"
std::string sum_words(const std::vector<BucketPiece>& pieces);

// The same without numbers: "head, final norm, layers 27 to 24, layer 23's down_proj".
std::string piece_words(const std::vector<BucketPiece>& pieces);

Json pieces_json(const std::vector<BucketPiece>& pieces);
Json tensor_json(const std::string& parameter, int64_t elements);  // null without a parameter

}  // namespace ringside
