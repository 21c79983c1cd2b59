"""Slic3r's connection to a 3D printer over a serial port (Debian's source package slic3r).

Slic3r's class GCodeSender, unchanged, is compiled with a small main function of this file, because the rest of Slic3r
needs Perl and a display. It reads and writes a serial port in a thread of its own. The script is the printer, on the
other end of a pseudo terminal: it checks the number and the checksum of each line, and answers with a message and `ok`.
"""

import contextlib
import functools
import operator
import os
import re
import select
import tty

import kit

LINES = 1000
PATIENCE_S = 120
SENDER = """#include "libslic3r/GCodeSender.hpp"

int main(int, char** arguments) {
    Slic3r::GCodeSender sender;
    if (!sender.connect(arguments[1], 115200) || !sender.wait_connected(60)) return 1;
    for (int line = 1; line <= std::stoi(arguments[2]); ++line)
        sender.send("G1 X" + std::to_string(line) + " ; a comment");
    while (sender.getT() != "215.0") boost::this_thread::sleep(boost::posix_time::milliseconds(1));
    for (const std::string& line : sender.purge_log()) std::cout << line << std::endl;
    sender.disconnect();
    return sender.error_status() ? 2 : 0;
}
"""


def run(program):
    program.install("libboost1.81-dev", "libboost-thread1.81-dev")
    source = program.source("slic3r") / "xs/src"
    main = program.folder / "sender.cpp"
    main.write_text(SENDER)
    program.compile("sender", main, source / "libslic3r/GCodeSender.cpp",
                    flags=("-w", f"-I{source}", "-DBOOST_LIBS"), libraries=("-lboost_thread",))
    program.check(f"prints {LINES} lines", lambda way: printed(program, way))


def printed(program, way):
    printer, device = os.openpty()
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, printer)
        stack.callback(os.close, device)
        tty.setraw(device)  # without echo, also before the program opens it
        sender = stack.enter_context(program.started(way, way.folder / "sender", os.ttyname(device), LINES))
        print_lines(printer)
        code = sender.wait()
        logged = len(re.findall(r"^echo:", sender.output(), re.MULTILINE))
        return f"{LINES} lines in order, {logged} messages, exit code {code}"


def print_lines(printer):
    """Answers as a printer until all lines have arrived. GCodeSender first asks for the temperature (M105)."""
    commands = ["M105", *(f"G1 X{number}" for number in range(1, LINES + 1))]
    for number, (command, line) in enumerate(zip(commands, lines_of(printer))):
        wanted = f"N{number} {command}"
        if line != f"{wanted}*{functools.reduce(operator.xor, wanted.encode())}":
            raise kit.Failed(f"the printer received {line!r}; expected {wanted!r} and its checksum")
        temperature = "215.0" if command == commands[-1] else "20.0"
        os.write(printer, f"echo: {number}\nok T:{temperature} B:60.0\n".encode())


def lines_of(printer):
    data = b""
    while select.select([printer], [], [], PATIENCE_S)[0]:
        *lines, data = (data + os.read(printer, 4096)).split(b"\n")
        for line in lines:
            yield line.decode()
    raise kit.Hangs
