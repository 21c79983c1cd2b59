// A program that is compiled with the drop-in header finds this file instead of the standalone Asio's, if
// that is installed in a folder of the system.
#pragma once

#error "loopbench-asio-dropin supports Boost.Asio (<boost/asio.hpp>), not the standalone Asio (<asio.hpp>)."
