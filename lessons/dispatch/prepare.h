// Two tensors of ones and what is called with them.
#pragma once

#include <ATen/ATen.h>

#include "record.h"

namespace ringside::dispatch_lesson {

struct Prepared {
  std::shared_ptr<void> mode;  // ends with it, on the same thread
  at::Tensor a, b, out;
  std::function<at::Tensor()> run;
  std::string op = "aten::add", overload = "Tensor";
};
Prepared prepare(const std::string& call, at::IntArrayRef shape);

}  // namespace ringside::dispatch_lesson
