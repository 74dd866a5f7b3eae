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
// version is no worse than the stable one: the share of requests that fail there is seldom
// larger than twice that of stable (R ≤ 1−(1−S)² in distribution), and outages of both come
// together or each at times of its own.
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
// The comparison has pairs of bets: one against 2δ, one on requests drawn of both versions, k of
// the target and 2k of stable. A = 1−(1−Y)^k is the chance that one of the former is bad, B that
// all of the latter are good, estimated without bias. The first is concave in Y, so under the
// null the expectations add up to at most 1, however failures cluster within the interval and
// however few requests one version has. So A+B−1 is no gain, whatever the times of outages are,
// and 4AB−1 is none where they are independent or common: AB is at most 1/4. In each interval a
// pair wins the smaller of both factors: it does not gain in expectation where one of the two
// does not, whichever that is. Two tests that reject by themselves do not have this: one rejects
// in an outage of both versions, the other at a harmless difference, at another time.
//
// No test of this null finds a version that fails every request before the fourth interval at
// α = 1 %: two versions that are each down half of the time look like that for three intervals
// with a chance of 1/64.
//
// # Limits
//
// Nothing is promised about bursts that are longer than an interval, or that lie
// across the end of one, nor about queries of users. For the comparison, nothing about
// clients that keep one connection, nor about outages that hit one version because the other
// has none.
//
// # Sources
//
// Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86
// (2024), arXiv 2010.09686. Lindon, Sanden and Shirikian, "Rapid Regression Detection in Software
// Deployments through Sequential Testing", arXiv 2205.14762, and Lindon and Malek, "Anytime-Valid
// Inference for Multinomial Count Data", arXiv 2011.03567, use the same property for counts. The
// number of requests that Needed returns follows Wald's sequential test with a normal
// approximation.
//
// The package is pure. It must not know of objects, times or sources.
package analysis
