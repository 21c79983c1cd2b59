# CMake compiles several sources of libtorrent as one, which halves the time of the build. These sources must stay
# alone, because they define the same names as others, or make all names of a namespace visible.
list(APPEND alone bdecode disk_job_fence file_view_pool lsd natpmp posix_part_file posix_storage session upnp)
list(APPEND alone ed25519/fe ed25519/sc ed25519/verify kademlia/dht_state)
list(TRANSFORM alone REPLACE "(.+)" "src/\\1.cpp")
set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# The headers of the tests can be included only once.
cmake_language(DEFER CALL set_property TARGET test_common PROPERTY UNITY_BUILD OFF)
