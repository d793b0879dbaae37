# -DRINGSIDE_BUILT=OTHER/ringside_built.cmake: the torch-free half and the parts of the terminal are taken from another
# build of this tree, OTHER, as they stand there. Only lessons and programs are compiled: who writes a lesson outside the
# tree does not compile the engine again.
set(RINGSIDE_BUILT "" CACHE FILEPATH "ringside_built.cmake of another build, whose libraries are taken instead of compiled")

set(RINGSIDE_BUILT_LAYERS ${RINGSIDE_TORCH_FREE_LAYERS} launch lesson figures child session)
set(RINGSIDE_BUILT_PARTS ringside_study ringside_terminal_front ringside_terminal_runner)

# Leaves the file that other builds may name.
function(ringside_export_built)
  list(TRANSFORM RINGSIDE_BUILT_LAYERS PREPEND ringside_ OUTPUT_VARIABLE targets)
  export(TARGETS ringside_options ${targets} ${RINGSIDE_BUILT_PARTS} NAMESPACE built::
         FILE ${CMAKE_BINARY_DIR}/ringside_built.cmake)
endfunction()

if(RINGSIDE_BUILT)
  if(RINGSIDE_TORCH OR RINGSIDE_TESTS)
    message(FATAL_ERROR "RINGSIDE_BUILT holds what does without LibTorch and tests: -DRINGSIDE_TORCH=OFF -DRINGSIDE_TESTS=OFF")
  endif()
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
  foreach(package fmt nlohmann_json CLI11 ZLIB)
    find_package(${package} REQUIRED)
  endforeach()
  include(${RINGSIDE_BUILT})
  foreach(layer ${RINGSIDE_BUILT_LAYERS})
    add_library(ringside::${layer} ALIAS built::ringside_${layer})
  endforeach()
  foreach(part ${RINGSIDE_BUILT_PARTS})
    add_library(${part} ALIAS built::${part})
  endforeach()
endif()
