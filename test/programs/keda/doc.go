// Package keda holds the ScaledObjects that Gati writes against KEDA: its own types, its
// CRD and the code of its admission webhook.
//
// It is a Go module of its own, because nothing else of ours needs KEDA's libraries.
package keda
