package defaulting

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// The targets of an autoscaler that names none, in percent of the request.
const (
	derivedCPU    = 70
	derivedMemory = 80
)

// Scale says how many pods there may be.
type Scale struct {
	// Replicas is the fixed number, or under an autoscaler the number to start
	// with.
	Replicas int32
	// Auto reports whether an autoscaler decides between Min and Max.
	Auto     bool
	Min, Max int32
	// CPU and Memory are the use to aim at, in percent of the request.
	CPU, Memory int32

	note string
}

// resolveScale derives the bounds of an autoscaler from the replicas.
func resolveScale(replicas int32, a *v1.Autoscaling) Scale {
	s := Scale{Replicas: replicas, Min: replicas, Max: replicas}
	if a == nil || a.Enabled == nil || !*a.Enabled {
		return s
	}
	s.Auto = true
	s.Min = or(a.MinReplicas, max(1, replicas/2))
	s.Max = or(a.MaxReplicas, max(s.Min, 3*replicas))
	if a.MinReplicas == nil {
		// A maximum of the user's own bounds what is derived.
		s.Min = min(s.Min, s.Max)
	}
	s.CPU, s.Memory = or(a.TargetCPU, derivedCPU), or(a.TargetMemory, derivedMemory)
	s.Replicas = min(max(replicas, s.Min), s.Max)
	if a.MinReplicas == nil || a.MaxReplicas == nil {
		s.note = fmt.Sprintf("autoscaling between %d and %d from %d replicas", s.Min, s.Max, replicas)
	}
	return s
}

// Notes adds to what names the derived parts of the pods where the number of pods
// comes from.
func (s Scale) Notes(pods []string) []string {
	if s.note == "" {
		return pods
	}
	return append(slices.Clone(pods), s.note)
}

func or(value *int32, fallback int32) int32 {
	if value != nil {
		return *value
	}
	return fallback
}
