// Package bounds counts the values of a JSON text before any of it is decoded.
//
// Decoding costs by values, not by bytes: `{}` has two bytes and becomes a struct of
// hundreds, in every copy that is made of it. A scan allocates nothing but the stack of
// open lists and objects, and ends at the first limit that is broken, with its place.
//
// It must not know what a text means: limits that depend on the place are those of the
// caller's visit.
package bounds
