"""Checks that the table of every_fault contains each system call of loop/ with all its places in the code.

usage: known_calls.py EVERY_FAULT NM ARCHIVE LOOP

The script reads the library's objects and its source code, because neither shows all calls. The undefined symbols of
the objects show the names of all called functions. The source code shows the places of the calls, also in headers and
templates. loop/ writes calls of the C library as ::name.
"""
import pathlib
import re
import subprocess
import sys

# Functions that need no entry in sites.cpp. Most of them cannot fail or do not enter the kernel. nanosleep is listed as
# std::this_thread::sleep_for, a std::stop_source uses syscall to wait for another thread, and a std::promise uses
# pthread_once to set its result.
HARMLESS = set('''
    free memchr memcmp memcpy memmove memset snprintf __isoc99_sscanf __isoc23_sscanf sscanf strcmp strerror strlen
    inet_ntop inet_pton sigaddset sigemptyset sigismember freeaddrinfo gai_strerror io_uring_queue_exit
    cfmakeraw getpid pthread_cond_clockwait pthread_mutex_lock pthread_mutex_unlock pthread_self sched_yield bcmp new
    __sched_cpucount nanosleep syscall std::this_thread::get_id pthread_once __once_proxy
    io_uring_buf_ring_add io_uring_buf_ring_advance io_uring_buf_ring_init io_uring_cq_advance io_uring_cq_ready
    io_uring_get_sqe io_uring_prep_nop io_uring_sq_ready
'''.split())
OF_THE_COMPILER = re.compile(r'_Z|__cxa_|_Unwind_|__gxx_|_?__asan_|__ubsan_|__tsan_|__sanitizer_|__lsan_|__stack_chk_'
                             r'|__dso_handle|__errno_location|__libc_single_threaded|__tls_|_GLOBAL_OFFSET_TABLE_')


def wanted_by_objects(nm, archive):
    listing = subprocess.run([nm, '-u', archive], check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in listing.splitlines()]
    names = {line[1] for line in lines if len(line) == 2 and line[0] in ('U', 'w')}
    return {name for name in names if not OF_THE_COMPILER.match(name)}


def called_in_source(loop):
    found = []
    for path in sorted(loop.rglob('*.[hc]pp')):
        name = path.relative_to(loop).as_posix()
        if name.startswith('examples/'):
            continue
        source = re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', '', path.read_text(encoding='utf-8'))
        calls = re.findall(r'(?<![\w>])::([a-z_]\w*)\s*[(,)]', source)
        calls += re.findall(r'\b(io_uring_(?!driver\b|refusal\b)\w+)\s*\(', source)
        calls += re.findall(r'\b(std::jthread|std::this_thread::\w+)\b', source)
        found += [(call, name) for call in calls]
    return found


def main():
    every_fault, nm, archive, loop = sys.argv[1:]
    listed = subprocess.run([every_fault, '--sites'], check=True, capture_output=True, text=True).stdout
    table = [(call, file) for call, _, files in (line.partition('\t') for line in listed.splitlines())
             for file in files.split(', ')]
    known = {call for call, _ in table} | HARMLESS
    source = [pair for pair in called_in_source(pathlib.Path(loop)) if pair[0] not in HARMLESS]
    wrong = [f'an object calls {name}' for name in sorted(wanted_by_objects(nm, archive) - known)]
    for pair in sorted(set(source) | set(table)):
        if source.count(pair) != table.count(pair):
            wrong.append('loop/{1} has {2} calls of {0}, and the table {3}'.format(*pair, source.count(pair),
                                                                                  table.count(pair)))
    for each in wrong:
        print(f'known_calls.py: {each} (tests/faults/sites.cpp)', file=sys.stderr)
    if not source:
        print('known_calls.py: no call was found at all', file=sys.stderr)
    sys.exit(1 if wrong or not source else 0)


main()
