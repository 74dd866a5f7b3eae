// Package origin says which field of a GatiHandler or GatiModule a field of a
// child was made from, so that what the API server says of a child can be told
// where the user can do something about it.
//
// It is the way back of package expand: who adds a field there adds it here. It
// must not know why a child was refused.
package origin
