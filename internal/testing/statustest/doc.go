// Package statustest is what the tests of the view model, the commands and the
// live view share: builders of objects, scenarios built of them, and golden
// files.
//
// The package must not know of any front end.
package statustest
