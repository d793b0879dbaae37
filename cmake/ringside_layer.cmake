# ringside_layer(NAME [DEPENDS targets...] [INSIDE targets...] [TORCH]): the shared library of one layer.
# Shared, so that a program, a lesson and a test link in no time, and a lesson loaded at run time has the one engine.
# A layer is a folder of .cpp files; its public headers live under include/, and only that folder is exported.
# DEPENDS are the layers that its headers include: a target that sees this layer sees them too. INSIDE are those that only
# its sources include. An include of any other layer does not compile. TORCH marks the half that sees LibTorch, LOOPS a layer
# of loops over elements.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_package(Threads REQUIRED)
find_program(RINGSIDE_CCACHE ccache)
if(RINGSIDE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RINGSIDE_CCACHE})
endif()

# Libraries lie in lib/, programs in bin/, lessons in lessons/; each finds the others from where it is, so that a build
# folder can be moved.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
find_program(RINGSIDE_MOLD mold)
if(RINGSIDE_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_link_options(-fuse-ld=mold)
endif()

# -fPIC for programs' own files as well: one precompiled header then serves all.
add_library(ringside_options INTERFACE)
target_compile_options(ringside_options INTERFACE -Wall -Wextra -Wshadow -Wno-unused-parameter -fPIC
  -fno-semantic-interposition -fvisibility-inlines-hidden)
# A failed check names its file from the project's folder on.
target_compile_options(ringside_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
# The precompiled headers have fmt in them: g++ refuses them to a target without fmt's definitions.
target_compile_definitions(ringside_options INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overflows in std::string where there are none. It collects its garbage only beyond 1 GB: a file takes a
  # tenth less time, one that sees LibTorch a quarter, and a fifth more memory.
  target_compile_options(ringside_options INTERFACE -Wno-restrict -Wno-stringop-overflow --param=ggc-min-heapsize=1000000)
endif()
if(NOT RINGSIDE_SANITIZE)
  target_link_options(ringside_options INTERFACE -Wl,--no-undefined)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # It warns where a function takes a temporary and returns a reference to something else.
  target_compile_options(ringside_options INTERFACE -Wno-dangling-reference)
endif()
# A target that is RINGSIDE_NOT_SANITIZED has the release's flags, so that the compiler cache has its files from there.
set(if_sanitized "$<NOT:$<BOOL:$<TARGET_PROPERTY:RINGSIDE_NOT_SANITIZED>>>")
if(CMAKE_COMPILE_WARNING_AS_ERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Flow analysis after a sanitizer's rewriting warns of correct code; a header that is read again costs time only.
  set(no_errors -Wno-error=array-bounds
    -Wno-error=maybe-uninitialized -Wno-error=uninitialized -Wno-error=stringop-overread
    -Wno-error=nonnull -Wno-error=free-nonheap-object -Wno-error=dangling-pointer -Wno-error=use-after-free
    -Wno-error=invalid-pch)
  target_compile_options(ringside_options INTERFACE "$<${if_sanitized}:${no_errors}>")
endif()
if(RINGSIDE_SANITIZE)
  set(sanitizers -Og -fsanitize=${RINGSIDE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND RINGSIDE_SANITIZE MATCHES address)
    # Accesses are checked by calls, not in place: a file takes a seventh less time.
    list(APPEND sanitizers --param=asan-instrumentation-with-call-threshold=0)
  endif()
  if(RINGSIDE_SANITIZE_NOT)
    list(APPEND sanitizers -fno-sanitize=${RINGSIDE_SANITIZE_NOT})
  endif()
  target_compile_options(ringside_options INTERFACE "$<${if_sanitized}:${sanitizers}>")
  target_link_options(ringside_options INTERFACE -fsanitize=${RINGSIDE_SANITIZE})
endif()

# What shows, prints and tests is compiled at a lower level than what counts and adds: in 40 % less time. A folder of such code
# calls ringside_quick_compile(). At each level there is one precompiled header of what most files include, which every target
# without LibTorch reuses: 1 s a file. (JSON's is not in it: its literals cost every file 0.4 s.) Its flags are those of
# ringside_options alone; where a target's own flags do not fit, g++ reads the headers again and -Winvalid-pch says so. Loops
# have one of their own.
set(RINGSIDE_STD_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <deque>
  <filesystem> <fstream> <functional> <iostream> <map> <memory> <mutex> <numeric> <optional> <set> <sstream>
  <string> <string_view> <thread> <tuple> <unordered_map> <vector>)
set(RINGSIDE_TEXT_HEADERS <fmt/format.h> <fmt/ranges.h> <iomanip> <ranges> <span> <unordered_set> <variant>)
set(RINGSIDE_PCH_SOURCE ${CMAKE_CURRENT_LIST_DIR}/pch/pch.cpp)
function(ringside_std_pch target)
  add_library(${target} STATIC ${RINGSIDE_PCH_SOURCE})
  target_link_libraries(${target} PRIVATE ringside_options)
  target_precompile_headers(${target} PRIVATE ${RINGSIDE_STD_HEADERS} ${RINGSIDE_TEXT_HEADERS} ${ARGN})
endfunction()
macro(ringside_quick_compile)
  set(CMAKE_CXX_FLAGS_RELEASE ${RINGSIDE_QUICK_FLAGS})
  if(NOT RINGSIDE_SANITIZE)  # with sanitizers all is compiled so
    set(RINGSIDE_STD_PCH ringside_quick_pch)
  endif()
endmacro()
set(RINGSIDE_QUICK_FLAGS "-Og -finline-small-functions")
set(RINGSIDE_LOOP_FLAGS ${CMAKE_CXX_FLAGS_RELEASE})
set(RINGSIDE_STD_PCH ringside_std_pch)

set(RINGSIDE_EXPORTED ${CMAKE_CURRENT_LIST_DIR}/exported.map)
function(ringside_layer name)
  cmake_parse_arguments(arg "TORCH;LOOPS" "" "DEPENDS;INSIDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(target ringside_${name})
  if(sources)
    add_library(${target} SHARED ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ringside_options ${arg_INSIDE})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(ringside::${name} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY RINGSIDE_LAYER_TARGETS ${target})
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS} Threads::Threads)
  if(arg_TORCH AND NOT name IN_LIST RINGSIDE_TORCH_LAYERS)
    message(FATAL_ERROR "layer ${name} sees LibTorch: RINGSIDE_TORCH_LAYERS in ringside_lessons.cmake must name it")
  endif()
  if(arg_TORCH AND sources)
    target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:ringside_torch> $<INSTALL_INTERFACE:ringside::with_torch>)
    target_precompile_headers(${target} REUSE_FROM ringside_torch_pch)
  elseif(arg_LOOPS)
    ringside_loops(${target})
  elseif(sources)
    target_precompile_headers(${target} REUSE_FROM ${RINGSIDE_STD_PCH})
  endif()
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(sources AND folder MATCHES "^(engine|kit)/")  # widgets have Dear ImGui in them, for panels
    target_link_options(${target} PRIVATE -Wl,--version-script=${RINGSIDE_EXPORTED})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${RINGSIDE_EXPORTED})
  endif()
endfunction()

# Loops over elements want vectors; contracting a*b+c would make bits depend on the machine. Each file has functions of the
# same names. With sanitizers at -Og: each unrolled load and store has its checks, and at -O3 a file of norms takes six minutes.
# A preset that does not test the layer has it without sanitizers.
set(RINGSIDE_LOOP_OPTIONS -O3 -ffp-contract=off -fno-math-errno)
function(ringside_loops target)
  target_compile_options(${target} PRIVATE ${RINGSIDE_LOOP_OPTIONS})
  ringside_choose_vectors(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  string(REPLACE ringside_ "" layer ${target})
  if(RINGSIDE_TEST_LAYERS AND NOT layer IN_LIST RINGSIDE_TEST_LAYERS)
    ringside_not_sanitized(${target})
  endif()
  get_target_property(as_release ${target} RINGSIDE_NOT_SANITIZED)
  if(as_release OR NOT RINGSIDE_SANITIZE)
    target_precompile_headers(${target} REUSE_FROM ringside_loops_pch)
  else()
    target_precompile_headers(${target} PRIVATE ${RINGSIDE_STD_HEADERS})
  endif()
endfunction()

# A third of what layer norm takes to compile is AVX-512, and a quarter of RMS norm. A build for other machines sets it ON.
set(RINGSIDE_AVX512 AUTO CACHE STRING "Loops for AVX-512 too: AUTO where this machine's processor has it, ON, OFF")
set(RINGSIDE_HAS_AVX512 ${RINGSIDE_AVX512})
if(RINGSIDE_AVX512 STREQUAL "AUTO")
  set(RINGSIDE_HAS_AVX512 ON)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo processor REGEX "^flags.* avx512f" LIMIT_COUNT 1)
    if(NOT processor)
      set(RINGSIDE_HAS_AVX512 OFF)
    endif()
  endif()
endif()
function(ringside_choose_vectors target)
  if(NOT RINGSIDE_HAS_AVX512)
    target_compile_definitions(${target} PRIVATE RINGSIDE_WITHOUT_AVX512)
  endif()
endfunction()

function(ringside_not_sanitized target)
  if(RINGSIDE_SANITIZE)
    set_target_properties(${target} PROPERTIES RINGSIDE_NOT_SANITIZED ON COMPILE_WARNING_AS_ERROR OFF)
  endif()
endfunction()

# A library of a program's own, which its tests link too.
function(ringside_part target)
  add_library(${target} SHARED ${ARGN})
  set_property(GLOBAL APPEND PROPERTY RINGSIDE_PARTS ${target})
  target_link_libraries(${target} PRIVATE ringside_options)
  target_precompile_headers(${target} REUSE_FROM ${RINGSIDE_STD_PCH})
endfunction()
