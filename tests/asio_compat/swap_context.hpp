// The part of a Boost.Asio program that creates an io_context. It is in the program, or in a library.
#pragma once

/// Creates an io_context, and runs a function on it. Returns the number of functions that ran: 1.
int run_context();
