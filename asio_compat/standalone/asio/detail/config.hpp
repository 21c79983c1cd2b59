// A program that is compiled with the drop-in header finds this file first if the standalone Asio is in a
// system folder such as /usr/include.
#pragma once

#error "loopbench-asio-dropin supports Boost.Asio (<boost/asio.hpp>), not the standalone Asio (<asio.hpp>)."
