// Package analysis tests, by counts of requests, whether a version is worse than
// allowed. Its verdicts remain valid however often they are evaluated.
//
// # Unit of evidence
//
// The unit is the interval, with Y = bad/n: the share of its requests that were bad.
// Requests of one interval fail together, so tests that count each request as evidence
// of its own roll back healthy versions with short bursts of failures.
//
// # Nulls
//
// Absolute: whatever came before, the expectation of Y is at most p0, the allowed share.
// Comparison: in each interval it is at most 2δ, where δ is what `within` allows, or the
// target's share of bad requests is at most twice that of the stable version.
//
// # Bets
//
// Each test is a wealth M that starts at 1. It is split over bets c of 0 to 0.9 and
// multiplied by the mean of 1+c(Y−p0)/p0. Under the null no bet gains in expectation,
// so M is a non-negative supermartingale. By Ville's inequality it ever reaches 1/α
// with probability of at most α. After the n-th interval 1/(n+100) of the wealth is split
// again over all bets, so that a fault after a long healthy time shows soon; all of it
// together costs the logarithm of n.
//
// The comparison has pairs of bets: one against 2δ, one on U, the share of the target in the
// bad requests of both, against π = 2n/(2n+n of stable), its expectation if the target is
// twice as bad. In each interval a pair wins the smaller of both factors: it does not gain in
// expectation where one of the two does not, whichever that is. Two tests that reject by
// themselves do not have this: one rejects in an outage of both versions, the other at a
// harmless difference, at another time.
//
// # Limits
//
// Nothing is promised about bursts that are longer than an interval, or that lie
// across the end of one, nor about queries of users. For the comparison, nothing about
// clients that keep one connection, nor about versions that both fail in bursts, each at
// times of its own, of more than 2δ on average: U is then above π.
//
// # Sources
//
// Lindon and Sanden, "Anytime-valid inference for multinomial count data", arXiv
// 2205.14762. Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
// betting", JRSS B 86 (2024), arXiv 2010.09686. The number of requests that Needed
// returns follows Wald's sequential test with a normal approximation.
//
// The package is pure. It must not know of objects, times or sources.
package analysis
