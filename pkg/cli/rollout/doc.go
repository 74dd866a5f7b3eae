// Package rollout is the command "kubectl gati rollout": it shows the rollout of a
// handler and has the verbs that change it.
//
// The verbs decide nothing: each makes a request, which the controller handles.
package rollout
