package app

import (
	"time"

	"gati.dev/gati/pkg/webhook/admission"
	"gati.dev/gati/pkg/webhook/conversion"
	"gati.dev/gati/pkg/webhook/guard"
)

const (
	kib = 1 << 10
	mib = 1 << 20

	// maxReview is room for two objects of the API server's own limit and the
	// rest of the review.
	maxReview = 7 * mib
)

// newGuardOptions returns the limits of a hook. The sum of all, with what has not arrived
// whole and what an idle process takes, stays below the memory limit in
// manifests/controller.
func newGuardOptions(path string, m *guard.Metrics) guard.Options {
	switch path {
	case pathMutate:
		return guard.Options{
			Name: "mutate", Metrics: m, Measure: admission.Measure, Refuse: guard.PassBusy,
			// A mutation delays every other step of its request, and its result is only
			// advisory: it waits the least.
			Limits: guard.Limits{Memory: 32 * mib, Floor: mib, Body: maxReview, Waiting: 128, Patience: 500 * time.Millisecond},
		}
	case pathValidate:
		return guard.Options{
			Name: "validate", Metrics: m, Measure: admission.Measure, Refuse: guard.RefuseReview,
			Limits: guard.Limits{Memory: 32 * mib, Floor: mib, Body: maxReview, Waiting: 128, Patience: time.Second},
		}
	default:
		return guard.Options{
			Name: "convert", Metrics: m, Measure: conversion.Measure, Refuse: guard.RefuseConversion,
			// Reads, watches and the garbage collector depend on conversion, and
			// their callers are patient: rather wait than fail.
			Limits: guard.Limits{Memory: 64 * mib, Floor: 2 * mib, Body: conversion.MaxBytes, Waiting: 512, Patience: 5 * time.Second},
		}
	}
}
