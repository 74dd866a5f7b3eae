package defaulting

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
)

// derivedCPU is the default target of an autoscaler, in percent of the request. There
// is no default for memory: the memory of Node.js does not reflect its load.
const derivedCPU = 70

// Scale has the bounds of the number of pods.
type Scale struct {
	// Replicas is the fixed number, under an autoscaler the initial one.
	Replicas int32
	// Auto reports whether an autoscaler decides between Min and Max.
	Auto     bool
	Min, Max int32
	// CPU and Memory are the target utilization in percent of the request; zero for no
	// target.
	CPU, Memory int32
	// Keda is set where KEDA scales in place of our own autoscaler; Rate is where it
	// reads the rate of requests.
	Keda *v1.Keda
	Rate facts.RequestRate

	note string
}

// resolveScale derives the bounds of an autoscaler from the replicas.
func resolveScale(replicas int32, a *v1.Autoscaling, f facts.Facts) Scale {
	s := Scale{Replicas: replicas, Min: replicas, Max: replicas}
	if a == nil || a.Enabled == nil || !*a.Enabled {
		return s
	}
	s.Auto = true
	s.Min = valueOr(a.MinReplicas, max(1, replicas/2))
	s.Max = valueOr(a.MaxReplicas, max(s.Min, 3*replicas))
	if a.MinReplicas == nil {
		// A maximum of the user's own bounds what is derived.
		s.Min = min(s.Min, s.Max)
	}
	s.CPU, s.Memory = valueOr(a.TargetCPU, derivedCPU), valueOr(a.TargetMemory, 0)
	if a.TargetCPU == nil && len(a.Metrics) > 0 {
		s.CPU = 0
	}
	if a.Keda != nil {
		s.Keda, s.Rate = a.Keda, f.RequestRate
	}
	s.Replicas = min(max(replicas, s.Min), s.Max)
	if a.MinReplicas == nil || a.MaxReplicas == nil {
		s.note = fmt.Sprintf("autoscaling between %d and %d from %d replicas", s.Min, s.Max, replicas)
	}
	return s
}

// AppendNote adds the origin of the derived bounds to the derived fields of the
// pods.
func (s Scale) AppendNote(pods []string) []string {
	if s.note == "" {
		return pods
	}
	return append(slices.Clone(pods), s.note)
}

func valueOr(value *int32, fallback int32) int32 {
	if value != nil {
		return *value
	}
	return fallback
}
