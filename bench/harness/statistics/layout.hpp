// Code placement changes the speed of a program by some per cent, which says nothing about its source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace loopbench::bench {

/// The difference in speed between two layouts in one block: a log ratio minus its expected value if the
/// layouts had no effect.
struct layout_contrast {
    std::uint64_t block = 0;
    std::size_t faster = 0, slower = 0;  // layouts; a number is the same layout in every contrast
    double log_ratio = 0;
};

/// Returns the standard deviation between layouts. A contrast is a_faster - a_slower + noise, with effects a
/// of one variance, so that two contrasts of different blocks have the covariance c * variance, where
///     c = [same faster] + [same slower] - [faster of one is slower of the other] - [the reverse],
/// and the variance is the sum of c x y over the sum of c * c, over all such pairs of contrasts: a moment
/// estimate like C. R. Henderson's (Biometrics 9, 1953), which needs neither balance nor a distribution.
/// Contrasts beyond three of their robust standard deviations are clamped to that limit; otherwise one
/// disturbed block would dominate the sum. Returns 0 if noise outweighs the effect, and nothing if fewer than
/// six pairs of contrasts share a layout. Uses only the first 2000 contrasts.
std::optional<double> layout_deviation(std::span<const layout_contrast> contrasts);

}  // namespace loopbench::bench
