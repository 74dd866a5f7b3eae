// Package rollout is the command "kubectl gati rollout": how the versions of a
// handler take each other's place, and the verbs that ask for something.
//
// The verbs decide nothing: each makes a request, which the controller handles.
package rollout
