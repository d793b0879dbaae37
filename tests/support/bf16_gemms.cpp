// Compiled with NDEBUG, as distributed LibTorches are: without it RecordFunction::inputs() asks a flag
// that their objects do not have.
#include "bf16_gemms.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace ringside::testing {
namespace {

std::mutex mutex;
std::vector<std::string> names;
int64_t products = 0;

bool multiplies(std::string name) {
  static const std::set<std::string> kProducts = {"linear",  "matmul", "einsum", "tensordot",  "inner", "dot",
                                                  "vdot",    "mv",     "addmv",  "mm",         "addmm", "bmm",
                                                  "baddbmm", "addbmm", "addr",   "convolution"};
  if (const size_t colons = name.rfind("::"); colons != std::string::npos) name.erase(0, colons + 2);
  return kProducts.contains(name) || name.find("mkldnn") != std::string::npos ||
         name.find("dot_product") != std::string::npos;
}

bool is_bf16(const c10::IValue& input) {
  return input.isTensor() && input.toTensor().defined() && input.toTensor().scalar_type() == at::kBFloat16;
}

std::unique_ptr<at::ObserverContext> look(const at::RecordFunction& function) {
  if (!multiplies(function.name())) return nullptr;
  const std::lock_guard lock(mutex);
  ++products;
  const auto inputs = function.inputs();
  if (std::any_of(inputs.begin(), inputs.end(), is_bf16)) names.emplace_back(function.name());
  return nullptr;
}

}  // namespace

Bf16Gemms::Bf16Gemms() {
  {
    const std::lock_guard lock(mutex);
    names.clear();
    products = 0;
  }
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(&look).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}

Bf16Gemms::~Bf16Gemms() { at::removeCallback(handle_); }

std::vector<std::string> Bf16Gemms::found() const {
  const std::lock_guard lock(mutex);
  return names;
}

int64_t Bf16Gemms::seen() const {
  const std::lock_guard lock(mutex);
  return products;
}

}  // namespace ringside::testing
