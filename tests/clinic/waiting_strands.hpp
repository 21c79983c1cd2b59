// A function that blocks one of many strands until the functions of all other strands have run.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <future>

#include "tests/clinic/clinic.hpp"

namespace clinic {

/// Judges whether the functions of 1000 strands, made by make(context), run in one of two threads while the
/// function of the first strand blocks the other thread.
template <class Make>
verdict judge_strands(Make make) {
    constexpr int count = 1000;
    boost::asio::io_context context;
    std::deque<decltype(make(context))> strands;
    for (int i = 0; i < count; ++i) strands.push_back(make(context));
    std::promise<void> all_others;
    std::atomic<int> waiting{count - 1};
    int left = 0;
    boost::asio::post(strands[0], [&] {
        all_others.get_future().wait_for(patience_of_a_handler);
        left = waiting;
    });
    for (std::size_t i = 1; i < strands.size(); ++i)
        boost::asio::post(strands[i], [&] {
            if (--waiting == 0) all_others.set_value();
        });
    {
        const std::jthread other([&] { context.run(); });
        context.run();
    }
    if (left == 0) return right();
    return wrong("%d of %d strands waited for another strand", left, count - 1);
}

}  // namespace clinic
