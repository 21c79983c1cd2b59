// The polymorphic executor that replaces any_io_executor in programs that are compiled with dropin.hpp.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <concepts>
#include <cstddef>
#include <new>
#include <utility>

#include "loopbench/asio/detail/objects.hpp"

namespace boost::asio {

/// A copy of Asio's any_io_executor under another name. In a program that includes dropin.hpp, the name
/// any_io_executor means this class.
class loopbench_any_io_executor
    : public execution::any_executor<execution::context_as_t<execution_context&>,
                                     execution::blocking_t::never_t,
                                     execution::prefer_only<execution::blocking_t::possibly_t>,
                                     execution::prefer_only<execution::outstanding_work_t::tracked_t>,
                                     execution::prefer_only<execution::outstanding_work_t::untracked_t>,
                                     execution::prefer_only<execution::relationship_t::fork_t>,
                                     execution::prefer_only<execution::relationship_t::continuation_t>> {
public:
    using base_type =
        execution::any_executor<execution::context_as_t<execution_context&>, execution::blocking_t::never_t,
                                execution::prefer_only<execution::blocking_t::possibly_t>,
                                execution::prefer_only<execution::outstanding_work_t::tracked_t>,
                                execution::prefer_only<execution::outstanding_work_t::untracked_t>,
                                execution::prefer_only<execution::relationship_t::fork_t>,
                                execution::prefer_only<execution::relationship_t::continuation_t>>;

    loopbench_any_io_executor() noexcept = default;
    loopbench_any_io_executor(std::nullptr_t) noexcept {}
    loopbench_any_io_executor(const loopbench_any_io_executor&) noexcept = default;
    loopbench_any_io_executor(loopbench_any_io_executor&&) noexcept = default;
    loopbench_any_io_executor(std::nothrow_t, const loopbench_any_io_executor& other) noexcept
        : base_type(static_cast<const base_type&>(other)) {}
    template <class Executor>
    requires(!std::same_as<Executor, loopbench_any_io_executor> &&
             std::constructible_from<base_type, Executor>) loopbench_any_io_executor(Executor executor)
        : base_type(std::move(executor)) {}
    template <class Executor>
    requires(!std::same_as<Executor, loopbench_any_io_executor> &&
             std::constructible_from<base_type, std::nothrow_t, Executor>)
        loopbench_any_io_executor(std::nothrow_t, Executor executor)
    noexcept : base_type(std::nothrow, std::move(executor)) {}

    loopbench_any_io_executor& operator=(const loopbench_any_io_executor&) noexcept = default;
    loopbench_any_io_executor& operator=(loopbench_any_io_executor&&) noexcept = default;
    loopbench_any_io_executor& operator=(std::nullptr_t) {
        base_type::operator=(nullptr);
        return *this;
    }

    void swap(loopbench_any_io_executor& other) noexcept { base_type::swap(other); }

    template <class Property>
    requires traits::require_member<const base_type&, const Property&>::is_valid loopbench_any_io_executor
    require(const Property& property)
    const { return base_type::require(property); }
    template <class Property>
    requires traits::prefer_member<const base_type&, const Property&>::is_valid loopbench_any_io_executor
    prefer(const Property& property)
    const { return base_type::prefer(property); }
};

namespace detail {

// Asio's handler_work_base for a polymorphic executor. If the polymorphic executor contains our executor,
// this class does not count work, because the operation is already counted as work (as in executor_work.hpp).
template <class Candidate>
class handler_work_base<loopbench_any_io_executor, Candidate, io_context, executor, void> {
    using executor_type = loopbench_any_io_executor;

public:
    explicit handler_work_base(int, int, const executor_type& objects) noexcept
        : executor_(objects.target<loopbench::asio::io_context::executor_type>() != nullptr
                        ? executor_type()
                        : tracked(objects)) {}
    handler_work_base(bool base1_owns_work, const executor_type& handlers,
                      const executor_type& objects) noexcept
        : executor_(!base1_owns_work && handlers == objects ? executor_type() : tracked(handlers)) {}
    template <class OtherExecutor>
    handler_work_base(bool, const executor_type& handlers, const OtherExecutor&) noexcept
        : executor_(tracked(handlers)) {}

    bool owns_work() const noexcept { return static_cast<bool>(executor_); }

    template <class Function, class Handler>
    void dispatch(Function& function, Handler&) {
        executor_.execute(std::move(function));
    }

private:
    static executor_type tracked(const executor_type& of) noexcept {
        return boost::asio::prefer(of, execution::outstanding_work.tracked);
    }

    executor_type executor_;
};

}  // namespace detail
}  // namespace boost::asio

namespace loopbench::asio::detail {

// True for loopbench_any_io_executor and for classes derived from it, such as the executor of
// as_default_on().
template <std::derived_from<boost::asio::loopbench_any_io_executor> Executor>
inline constexpr bool is_polymorphic<Executor> = true;
template <class Inner>
inline constexpr bool is_polymorphic<boost::asio::strand<Inner>> = is_polymorphic<Inner>;

}  // namespace loopbench::asio::detail
