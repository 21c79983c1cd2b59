// Where the code of a program came to lie moves its speed by some per cent, and says nothing about its
// source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace loopbench::bench {

/// How much faster one layout was than another in one block, as a log ratio less what is expected of it where
/// the layouts do nothing.
struct layout_contrast {
    std::uint64_t block = 0;
    std::size_t faster = 0, slower = 0;  // layouts; one number is one layout, whoever has it
    double log_ratio = 0;
};

/// The standard deviation between layouts. A contrast is a_faster - a_slower + noise, with effects a of one
/// variance, so that two of different blocks have the covariance c * variance, where
///     c = [same faster] + [same slower] - [faster of one is slower of the other] - [the reverse],
/// and the variance is the sum of c x y over the sum of c * c, over all such pairs of contrasts: a moment
/// estimate, as C. R. Henderson's (Biometrics 9, 1953), which wants neither balance nor a distribution.
/// Contrasts beyond three of their robust standard deviations count as if they were there, or one disturbed
/// block would be all that the sum has. 0 where noise outweighs what there is; nothing where fewer than six
/// pairs of contrasts have a layout in common. Of more than 2000 contrasts the first ones count.
std::optional<double> layout_deviation(std::span<const layout_contrast> contrasts);

}  // namespace loopbench::bench
