// Package rollout is the command "kubectl gati rollout": the rollout of a handler, and
// the verbs that change it.
//
// The verbs decide nothing: each makes a request, which the controller handles.
package rollout
