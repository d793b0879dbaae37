# lib/interface.txt: a hash of every header that programs, and lessons loaded by them, share. A file that is linked with
# ringside_with_interface(TARGET) leaves a copy beside itself, FILE.interface; a program that finds another hash there
# does not load that file (lesson/modules.h). Whatever is built together has the same one.
file(GLOB_RECURSE RINGSIDE_SHARED_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/engine/*/include/*.h
  ${PROJECT_SOURCE_DIR}/kit/*.h ${PROJECT_SOURCE_DIR}/demos/terminal/*.h ${PROJECT_SOURCE_DIR}/widgets/*/*.h ${PROJECT_SOURCE_DIR}/widgets/panel/include/*.h)
set(RINGSIDE_INTERFACE ${CMAKE_BINARY_DIR}/lib/interface.txt)
list(JOIN RINGSIDE_SHARED_HEADERS "\n" listed)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/shared_headers.txt CONTENT "${listed}\n")
add_custom_command(OUTPUT ${RINGSIDE_INTERFACE}
  COMMAND ${CMAKE_COMMAND} -DHEADERS=${CMAKE_BINARY_DIR}/shared_headers.txt -DOUTPUT=${RINGSIDE_INTERFACE}
          -P ${CMAKE_CURRENT_LIST_DIR}/write_interface.cmake
  DEPENDS ${RINGSIDE_SHARED_HEADERS} ${CMAKE_BINARY_DIR}/shared_headers.txt ${CMAKE_CURRENT_LIST_DIR}/write_interface.cmake
  COMMENT "" VERBATIM)
add_custom_target(ringside_interface DEPENDS ${RINGSIDE_INTERFACE})

function(ringside_with_interface target)
  add_dependencies(${target} ringside_interface)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${RINGSIDE_INTERFACE})
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy ${RINGSIDE_INTERFACE} $<TARGET_FILE:${target}>.interface VERBATIM)
endfunction()
