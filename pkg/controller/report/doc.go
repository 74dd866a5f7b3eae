// Package report turns the observations of a controller into status: conditions as kstatus
// reads them, a phase, and sentences with numbers.
//
// It is pure: the clock comes in as a time. It must not know of clients.
package report
