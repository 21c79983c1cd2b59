# The programs of the clinic. Each has a source of this name. CMakeLists.txt and stock/CMakeLists.txt build them.

# These programs have a verdict.
set(clinic_deciding
    accept_eagain blocked_old_strand blocked_strand cancelled_in_another_strand cancelled_waits destruction_ends
    empty_parallel_group freed_sockets full_backlog future_in_a_handler listener_wakeups lost_wakeups
    non_terminal_cancellation parallel_group_threads poll_beside_a_long_handler receive_eagain second_timeout
    sender_endpoint several_accepts stop_from_a_thread suspended_coroutines timed_runs timer_beside_a_long_handler
    writes_after_the_end)
# Their symptom can depend on the speed of the threads, so they are optimised as the programs of a user.
set(clinic_threaded
    cancelled_in_another_strand cancelled_waits freed_sockets listener_wakeups lost_wakeups parallel_group_threads
    stop_from_a_thread)
# Sanitizers show their symptom.
set(clinic_sanitized cancelled_in_another_strand suspended_coroutines)
set(clinic_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
# Chance decides whether these programs show their symptom on this project's context. They are not run as tests.
set(clinic_by_chance cancelled_in_another_strand)
# These programs measure something. They are not run as tests.
set(clinic_measuring
    allocations_per_co_await allocations_per_co_spawn coroutines_against_handlers datagram_batches
    deferred_against_use_awaitable iowait second_thread second_thread_with_work socket_size tls_read_size)

# Sets the options of a program's target, and where it is built: FOLDER/BUILD/NAME.
function(clinic_configure target name folder)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${folder})
    if(name IN_LIST clinic_sanitized)
        target_compile_options(${target} PRIVATE ${clinic_sanitizers} -fno-omit-frame-pointer)
        target_link_options(${target} PRIVATE ${clinic_sanitizers})
        # Otherwise, Asio keeps the memory of a handler that has ended, and the sanitizers see nothing.
        target_compile_definitions(${target} PRIVATE BOOST_ASIO_DISABLE_SMALL_BLOCK_RECYCLING)
    endif()
    if(name IN_LIST clinic_deciding AND NOT name IN_LIST clinic_threaded)
        target_compile_options(${target} PRIVATE -O0)  # halves the time of the compiler
    elseif(name STREQUAL "tls_read_size")
        target_link_libraries(${target} PRIVATE OpenSSL::SSL)
    endif()
endfunction()

# Writes what clinic.py publishes about a build: FOLDER/build.json.
function(clinic_describe folder boost)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    string(JOIN "\", \"" programs ${ARGN})
    file(WRITE ${folder}/build.json "{\"boost\": \"${boost}\", \"build_type\": \"${CMAKE_BUILD_TYPE}\", \
\"flags\": \"${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}\", \
\"compiler\": \"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\", \"liburing\": \"${LIBURING_VERSION}\", \
\"programs\": [\"${programs}\"]}\n")
endfunction()
