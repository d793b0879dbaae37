# -DRINGSIDE_BUILT=OTHER/ringside_built.cmake: every layer is taken from another build of this tree, OTHER, as it stands there.
# Only the lessons of -DRINGSIDE_EXTRA_LESSONS are compiled: who writes a lesson outside of the tree compiles that alone. The
# other build's program runs it: RINGSIDE_LESSONS=BUILD/lessons OTHER/bin/ringside run LESSON
set(RINGSIDE_BUILT "" CACHE FILEPATH "ringside_built.cmake of another build, whose libraries are taken instead of compiled")

# Leaves the file that other builds may name.
function(ringside_export_built)
  get_property(targets GLOBAL PROPERTY RINGSIDE_LAYER_TARGETS)
  if(TARGET ringside_torch)
    list(APPEND targets ringside_torch)
  endif()
  export(TARGETS ringside_options ${targets} NAMESPACE built:: FILE ${CMAKE_BINARY_DIR}/ringside_built.cmake)
endfunction()

if(RINGSIDE_BUILT)
  if(NOT RINGSIDE_EXTRA_LESSONS)
    message(FATAL_ERROR "RINGSIDE_BUILT has the layers already: -DRINGSIDE_EXTRA_LESSONS=DIR names the lessons to compile")
  endif()
  if(RINGSIDE_TORCH)
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
    find_package(Torch REQUIRED)
  endif()
  foreach(package fmt nlohmann_json)
    find_package(${package} REQUIRED)
  endforeach()
  include(${RINGSIDE_BUILT})
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  list(FILTER targets INCLUDE REGEX "^built::")
  foreach(target ${targets})
    string(REGEX REPLACE "^built::(ringside_)?" "" layer ${target})
    add_library(ringside::${layer} ALIAS ${target})
  endforeach()
endif()
