// Package conversion answers the API server's ConversionReviews: it decodes them,
// converts each object with api/v1alpha1 and encodes the results.
//
// Conversion runs on reads and watches as well as on writes, so it must not fail for
// reasons unrelated to the object. The package has no client, cache, certificate or
// state.
package conversion
