// Package statustest makes the objects that the tests of the view model, the
// commands and the live view share: builders, and scenarios built of them.
//
// The package must not know of any front end.
package statustest
