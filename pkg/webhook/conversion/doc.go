// Package conversion answers the API server's ConversionReviews: it decodes them,
// hands each object to api/v1alpha1 and encodes what comes back.
//
// Conversion runs on reads and watches as well as on writes, so it must not fail
// for reasons of its own: the package knows no client, no cache and no
// certificate, and keeps no state.
package conversion
