// Package statustest has what the tests of the view model, the commands and the live
// view share: builders of objects, scenarios made from them, and golden files.
//
// The package must not know of any front end.
package statustest
