// Every header of the standalone Asio includes asio/detail/config.hpp. A program that is compiled with the
// drop-in header finds this file first. Otherwise the program would compile, and keep the standalone Asio's
// own io_context.
#pragma once

#error "loopbench-asio-dropin supports Boost.Asio (<boost/asio.hpp>), not the standalone Asio (<asio.hpp>)."
