// Package origin maps a field of a child to the field of the GatiHandler or
// GatiModule that it was made from, so that errors of the API server name the field
// that the user can change.
//
// It is the inverse of package expand: a field added there is added here. It must
// not know why a child was refused.
package origin
