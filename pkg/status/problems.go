package status

import (
	"gati.dev/gati/pkg/diagnose"
)

// Problem is something wrong with one or more pods of a workload.
type Problem = diagnose.Problem

// podProblems returns the problems of one owner's pods. Equal problems of one workload
// become one with several pods; pods that serve are not named.
func (b *builder) podProblems(key ownerKey) []Problem {
	var found []Problem
	for _, d := range b.index.deployments[key] {
		if p, ok := diagnose.Deployment(d); ok {
			found = append(found, p)
		}
	}
	for _, pod := range b.index.pods[key] {
		if p, ok := diagnose.Pod(pod, b.now); ok {
			p.AddProbeAnswer(pod, b.objs.Events)
			found = append(found, p)
		}
	}
	return diagnose.Group(found)
}
