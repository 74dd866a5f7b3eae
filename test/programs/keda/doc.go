// Package keda checks the ScaledObjects that Gati writes against KEDA's own types, its
// CRD and the code of its admission webhook.
//
// It is a separate Go module, because no other package needs KEDA's libraries.
package keda
