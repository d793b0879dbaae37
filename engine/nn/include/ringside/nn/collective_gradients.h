// Collectives on the way from a parameter to the loss. A collective writes into memory and leaves no node in
// autograd's graph, so what backward does with it has to be said:
//
//   gather, N ranks    y = [x_0; x_1; ...; x_N-1]     (N n, ...), alike on every rank
//     kNone            dx_r = 0                       the rows of all ranks are constants
//     kOwnRows         dx_r = rows r of dy_r          the own rows were put back: the others' are constants
//     kReduceScatter   dx_r = sum over s of rows r of dy_s
//   sum                y = sum over s of x_s          alike on every rank
//                      dx_r = sum over s of dy_s
//
// With dy_s = dL_s/dy, the reduce-scatter and the sum give the derivative of L_0 + ... + L_N-1, the losses of
// all ranks. Each is a collective in backward too, so every rank's loss must reach it. Sums are over ranks 0
// to N-1, in fp32.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "ringside/comm/process_group.h"

namespace ringside::inline nn {

// Without a graph: those of all ranks one behind the other; of a sum this rank's rows, or all of it.
at::Tensor all_rows(const at::Tensor& x, ProcessGroup& group, const Tag& tag);   // (n, ...) -> (N n, ...)
at::Tensor own_sum(const at::Tensor& x, ProcessGroup& group, const Tag& tag);    // (N n, ...) -> (n, ...)
at::Tensor whole_sum(const at::Tensor& x, ProcessGroup& group, const Tag& tag);  // any shape

enum class GatherBackward : uint8_t { kNone, kOwnRows, kReduceScatter };

// x: (n, ...), as many rows on every rank -> (N n, ...). The tags of its calls: tag.what, and in backward
// tag.what + " gradients".
at::Tensor gather_rows(const at::Tensor& x, ProcessGroup& group, GatherBackward backward, const Tag& tag);
at::Tensor sum_over_ranks(const at::Tensor& x, ProcessGroup& group, const Tag& tag);  // x: any shape

}  // namespace ringside::inline nn
