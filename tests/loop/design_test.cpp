// Whether the tests miss a design.
#include <set>
#include <string>
#include <string_view>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

std::multiset<std::string> names_of_all_designs() {
    std::multiset<std::string> names;
    for_each_design([&]<class R>() { names.emplace(R::name); });
    return names;
}

template <class... R>
std::multiset<std::string> names_in(testing::Types<R...>) {
    return {std::string(R::name)...};
}

}  // namespace

TEST(designs, are_all_tested_on_the_real_and_on_the_manual_clock) {
    EXPECT_EQ(names_in(real_designs{}), names_of_all_designs());
    EXPECT_EQ(names_in(manual_designs{}), names_of_all_designs());
}

}  // namespace loopbench::loop::test
