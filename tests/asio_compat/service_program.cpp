// A program of an Asio user with services of its own, whose constructors take an io_context. Ends with 0 if a
// context creates each service once, finds a service that the program has added, and shuts the services down.
#include <boost/asio.hpp>
#include <memory>
#include <utility>

#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // recent versions of Boost deprecate add_service()

namespace {

namespace asio = boost::asio;

template <class Key>
class counting_service : public asio::detail::service_base<counting_service<Key>> {
public:
    explicit counting_service(asio::io_context& context)
        : asio::detail::service_base<counting_service<Key>>(context), owner(context) {}

    static inline int shut_down = 0;
    asio::io_context& owner;

private:
    void shutdown() override {
        if (!std::exchange(is_shut_down_, true)) ++shut_down;  // recent versions of Boost shut down twice
    }

    bool is_shut_down_ = false;
};

class named_service final : public asio::io_context::service {
public:
    static inline asio::execution_context::id id;

    explicit named_service(asio::io_context& context)
        : service(context), used_(asio::use_service<counting_service<int>>(context)) {}

    bool belongs_to(asio::io_context& context) {
        return &get_io_context() == &context && &used_.owner == &context;
    }

private:
    void shutdown() override {}

    counting_service<int>& used_;
};

template <class Service>
bool is_created_once(asio::io_context& context) {
    if (asio::has_service<Service>(context)) return false;
    Service& first = asio::use_service<Service>(context);
    return asio::has_service<Service>(context) && &asio::use_service<Service>(context) == &first;
}

/// A service that replaces another one: it inherits the ID.
class replacing_service : public counting_service<short> {
public:
    using counting_service<short>::counting_service;
};

/// A service that is added as that of any execution context is found as that of an io_context, too.
bool is_found_by_the_key_of_the_service() {
    asio::io_context added, replaced, used;
    auto* const service = new counting_service<short>(added);
    asio::add_service(static_cast<asio::execution_context&>(added), service);
    if (&asio::use_service<counting_service<short>>(added) != service) return false;
    auto* const other = new replacing_service(replaced);
    asio::add_service<counting_service<short>>(replaced, other);
    if (&asio::use_service<counting_service<short>>(replaced) != other) return false;
    const auto* const third = &asio::use_service<named_service>(used);
    return asio::has_service<named_service>(static_cast<asio::execution_context&>(used)) &&
           &asio::use_service<named_service>(used) == third;
}

template <class Service>
bool is_found_after_adding(asio::io_context& context) {
    auto made = std::make_unique<Service>(context);
    asio::add_service(context, made.get());
    const Service* const added = made.release();
    if (&asio::use_service<Service>(context) != added) return false;
    const auto second = std::make_unique<Service>(context);
    try {
        asio::add_service(context, second.get());
    } catch (const asio::service_already_exists&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    {
        asio::io_context context;
        if (!is_created_once<named_service>(context)) return 1;
        if (!asio::use_service<named_service>(context).belongs_to(context)) return 2;
        if (!is_created_once<counting_service<char>>(context)) return 3;
        if (!is_found_after_adding<counting_service<long>>(context)) return 4;
    }
    {
        asio::io_context context;
        if (!is_found_after_adding<named_service>(context)) return 5;
    }
    if (!is_found_by_the_key_of_the_service()) return 7;
    return counting_service<int>::shut_down == 3 && counting_service<char>::shut_down == 1 &&
                   counting_service<long>::shut_down == 1
               ? 0
               : 6;
}
