// Whether two tensors share bytes: exactly, by their sizes and strides. LibTorch itself only tells tensors
// that fill their interval of memory (at::get_overlap_status); numpy has the exact question as shares_memory.
//
// An element of a lies at A + sum i_k s_k, one of b at B + sum j_k t_k, with 0 <= i_k < n_k and 0 <= j_k <
// m_k, in bytes. They overlap where
//
//   -(bytes of an element of a)  <  A - B + sum i_k s_k - sum j_k t_k  <  bytes of an element of b
//
// A branch is tried only where the remaining terms can still reach the interval. In general this is NP-hard
// (subset sum is a case of it); the strides of views are nested, and give an answer after a few branches.
#pragma once

#include <ATen/ATen.h>

namespace ringside::inline kit {

// Of strided tensors that both live. An empty one shares nothing.
bool share_bytes(const at::Tensor& a, const at::Tensor& b);

}  // namespace ringside::inline kit
