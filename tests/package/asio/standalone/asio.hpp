#pragma once

#include "asio/detail/config.hpp"
