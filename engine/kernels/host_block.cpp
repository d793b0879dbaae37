#include "host_block.h"

#include <setjmp.h>
#include <ucontext.h>

#include <deque>
#include <memory>
#include <vector>

#include "ringside/base/check.h"

namespace ringside::kernels {
namespace {

constexpr size_t kStackBytes = 64 << 10;

enum class Waits : uint8_t { kNot, kForWarp, kForBlock, kOver };

// Where a fiber, or the scheduler, goes on: at `context` at first, later behind its own call of change().
struct Side {
  ucontext_t context{};
  jmp_buf left{};
  bool is_new = true;
};
struct Fiber {
  Side* side = nullptr;
  Dim3 place;
  Waits waits = Waits::kNot;
  bool odd_words = false;
};

struct Stack {
  Side side;
  std::unique_ptr<std::byte[]> bytes = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
};
// Of the n-th fiber of a block. The blocks that this thread runs use it one after the other.
Stack& stack_of(size_t n) {
  static thread_local std::deque<Stack> stacks;
  while (stacks.size() <= n) stacks.emplace_back();
  return stacks[n];
}

// swapcontext asks the kernel for the signal mask each time, which took longer than all that the fibers do. The sanitizer
// follows it, and no jump to another stack.
void change(Side& from, Side& to) {
#ifdef __SANITIZE_ADDRESS__
  swapcontext(&from.context, &to.context);
#else
  if (_setjmp(from.left) != 0) return;
  if (!to.is_new) _longjmp(to.left, 1);
  to.is_new = false;
  setcontext(&to.context);
#endif
}

// The threads of one block after the other, as fibers.
class Block {
 public:
  Block(Dim3 threads, const std::function<void()>& kernel)
      : kernel_(kernel), fibers_(size_t{threads.x} * threads.y), words_(2 * (fibers_.size() + kHostWarp)) {
    for (size_t i = 0; i < fibers_.size(); ++i) {
      fibers_[i].place = {static_cast<unsigned>(i) % threads.x, static_cast<unsigned>(i) / threads.x};
      Stack& stack = stack_of(i);
      if (stack.side.is_new) make(stack);
      fibers_[i].side = &stack.side;
    }
    scheduler_.is_new = false;
  }

  void run() {
    for (Fiber& fiber : fibers_) fiber.waits = Waits::kNot;
    while (true) {
      bool all_over = true, any_ran = false;
      for (Fiber& fiber : fibers_) {
        if (fiber.waits == Waits::kNot) {
          resume(fiber);
          any_ran = true;
        }
        all_over = all_over && fiber.waits == Waits::kOver;
      }
      if (all_over) return;
      if (any_ran || release()) continue;
      for (Fiber& fiber : fibers_) fiber.side->is_new = true;  // they do not go on
      RINGSIDE_CHECK(false, "a kernel's threads wait for each other for ever");
    }
  }
  void wait(Waits what) {
    running_->waits = what;
    change(*running_->side, scheduler_);
  }
  uint64_t* words() {
    running_->odd_words = !running_->odd_words;
    const auto warp = static_cast<size_t>(running_ - fibers_.data()) / kHostWarp;
    return words_.data() + (2 * warp + (running_->odd_words ? 1 : 0)) * kHostWarp;
  }

  static thread_local Block* current;

 private:
  // What a fiber runs: the kernel of the block that is `current`, again and again.
  static void body() {
    while (true) {
      current->kernel_();
      current->wait(Waits::kOver);
    }
  }
  static void make(Stack& stack) {
    ucontext_t& context = stack.side.context;
    getcontext(&context);
    context.uc_stack.ss_sp = stack.bytes.get();
    context.uc_stack.ss_size = kStackBytes;
    makecontext(&context, body, 0);
  }
  void resume(Fiber& fiber) {
    running_ = &fiber;
    threadIdx = fiber.place;
    change(scheduler_, *fiber.side);
  }
  // Lets those go on that have all arrived: a warp where it waits as one, else the block. False: nobody.
  bool release() {
    bool any = false;
    for (size_t first = 0; first < fibers_.size(); first += kHostWarp) {
      const size_t end = std::min(first + kHostWarp, fibers_.size());
      any = let_go(first, end, Waits::kForWarp) || any;
    }
    return any || let_go(0, fibers_.size(), Waits::kForBlock);
  }
  // Who is over need not arrive.
  bool let_go(size_t first, size_t end, Waits what) {
    bool any = false;
    for (size_t i = first; i < end; ++i) {
      if (fibers_[i].waits != what && fibers_[i].waits != Waits::kOver) return false;
      any = any || fibers_[i].waits == what;
    }
    for (size_t i = first; i < end; ++i)
      if (fibers_[i].waits == what) fibers_[i].waits = Waits::kNot;
    return any;
  }

  const std::function<void()>& kernel_;
  std::vector<Fiber> fibers_;
  std::vector<uint64_t> words_;
  Side scheduler_;
  Fiber* running_ = nullptr;
};
thread_local Block* Block::current = nullptr;

}  // namespace

void run_grid(Dim3 blocks, Dim3 threads, const std::function<void()>& kernel) {
  Block block(threads, kernel);
  Block::current = &block;
  blockDim = threads;
  gridDim = blocks;
  for (blockIdx.y = 0; blockIdx.y < blocks.y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < blocks.x; ++blockIdx.x) block.run();
  Block::current = nullptr;
}

void wait_for_block() { Block::current->wait(Waits::kForBlock); }
void wait_for_warp() { Block::current->wait(Waits::kForWarp); }
uint64_t* words_of_warp() { return Block::current->words(); }

}  // namespace ringside::kernels
