#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace loopbench::bench {

/// A log ratio of two layouts in one block, minus the log ratio that is expected if layouts have no effect.
struct layout_contrast {
    std::uint64_t block = 0;
    std::size_t faster = 0, slower = 0;  // layout numbers, which are the same in all contrasts
    double log_ratio = 0;
};

/// Returns the standard deviation of the effects of layouts. A contrast is a_faster - a_slower + noise, where
/// the effects a of all layouts have the same variance. Therefore two contrasts x and y of different blocks
/// have the covariance c * variance, with
///     c = [same faster] + [same slower] - [faster of one is slower of the other] - [the reverse].
/// Here, [condition] is 1 if the condition is true, and otherwise 0. The variance is the sum of c x y divided
/// by the sum of c * c, over all such pairs of contrasts. This is a moment estimate like C. R. Henderson's
/// (Biometrics 9, 1953); it requires neither balanced data nor a certain distribution. In each product, a
/// contrast beyond three robust standard deviations is clamped to this limit, or to twice the other contrast
/// if that is more. Otherwise, one disturbed block would dominate the sum. A few layouts that are much slower
/// than the others count fully, because both contrasts with such a layout are large. Returns 0 if the
/// estimated variance is negative because of noise, and nothing if fewer than six pairs of contrasts share a
/// layout. Uses only the first 2000 contrasts.
std::optional<double> layout_deviation(std::span<const layout_contrast> contrasts);

}  // namespace loopbench::bench
