# The programs that cross.py runs, beside drover_world: of this folder's own project, or of a build of the libraries (DROVER_LIBRARIES_ONLY).
set(source ${CMAKE_CURRENT_LIST_DIR}/../..)
drover_library(cross_core ${source}/server/library/scenario_file.c ${source}/server/simulation/worker_pool.c)
target_link_libraries(cross_core PUBLIC drover_world)

foreach(program golden_hashes golden_frames golden_recording)
  add_executable(${program} ${source}/tests/golden/${program}.c)
  target_link_libraries(${program} PRIVATE cross_core -static)
endforeach()

if(TARGET libdrover) # as programs have the libraries: linked with the shared ones, or with the static ones where all is static
  foreach(program sim_hashes client)
    add_executable(cross_${program} ${CMAKE_CURRENT_LIST_DIR}/${program}.c)
    target_link_libraries(cross_${program} PRIVATE drover_options)
  endforeach()
  target_link_libraries(cross_sim_hashes PRIVATE libdrover-sim)
  target_link_libraries(cross_client PRIVATE libdrover)
endif()
