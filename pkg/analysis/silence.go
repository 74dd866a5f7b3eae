package analysis

import "math"

// OddsOfSilence returns the odds against a version that has had no request while others had
// some, if at least a share of all was to be its own: the likelihood ratio of a tenth of that
// share. Requests are taken to be distributed one by one, as a gateway does.
func OddsOfSilence(share float64, others int64) float64 {
	return math.Exp(float64(others) * (math.Log1p(-share/10) - math.Log1p(-share)))
}
