// Looks like the header that every header of the standalone Asio includes.
#pragma once

#ifndef ASIO_DETAIL_CONFIG_HPP
#define ASIO_DETAIL_CONFIG_HPP
#endif
