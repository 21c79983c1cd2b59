// A sign test that can be repeated after each sample without a larger error rate. An ordinary test that is
// repeated in this way finds nonexistent differences far too often.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace loopbench::bench {

/// Returns the evidence that a sample is more often above a value than below it. `above` and `below` are the
/// numbers of samples on each side. The evidence is a mean of likelihood ratios:
///     E = 2 * (integral over p from 1/2 to 1 of (2p)^above (2(1-p))^below dp).
/// If a sample is above the value with a probability of at most 1/2, E is a supermartingale that starts at
/// 1. Thus the probability that E ever reaches 1 / error is at most `error` (J. Ville, "Étude critique de la
/// notion de collectif", 1939; D. A. Darling and H. Robbins, "Confidence Sequences for Mean, Variance, and
/// Median", PNAS 58, 1967).
double evidence_of_majority(std::size_t above, std::size_t below);

enum class side { below, above };

/// Returns the side of zero on which the median of independent samples lies, or nothing as long as there are
/// too few samples. Call it after each sample; stop at the first answer. The answer is wrong with a
/// probability of at most `error`, however many samples it takes. Ignores samples that are zero.
std::optional<side> side_of_median(std::span<const double> samples, double error);

/// Returns the number of samples after which side_of_median() answers if all samples are on one side.
std::size_t fewest_samples(double error);

}  // namespace loopbench::bench
