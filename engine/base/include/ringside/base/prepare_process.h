// Settings of a whole process. They are its program's matter: no other part of the engine changes them.
#pragma once

namespace ringside {

// Called first in the main() of a program that trains. It changes no bit, and steps take less time:
// activations of a few hundred KiB come and go in every step; by default glibc maps and unmaps each of them,
// and the kernel zeroes their pages anew. From here on freed memory is kept for the next.
void prepare_process();

}  // namespace ringside
