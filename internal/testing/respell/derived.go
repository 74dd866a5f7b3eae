package respell

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NamespaceImage is the image that the namespace of the specs has to name.
const NamespaceImage = "registry.example.com/shop:v7"

// spellDerived writes values that Gati derives from absent fields, and changes the order
// of lists that are sets.
func (s *Speller) spellDerived(spec map[string]any) {
	s.setDerived(spec, "image", NamespaceImage)
	if s.kind == "GatiHandler" {
		if version, isTag := strings.CutPrefix(fmt.Sprint(spec["image"]), "registry.example.com/shop:"); isTag {
			s.setDerived(spec, "version", version)
		}
		s.addHost(spec)
	}
	s.setDerived(spec, "resources", map[string]any{
		"requests": map[string]any{"cpu": "100m", "memory": "128Mi"}, "limits": map[string]any{"cpu": "500m", "memory": "512Mi"},
	})
	if resources, has := spec["resources"].(map[string]any); has {
		s.spellRequests(resources)
	}
	s.spellBounds(spec)
	pod, _ := orDefault(spec["pod"], map[string]any{}).(map[string]any)
	s.setDerived(pod, "terminationGracePeriodSeconds", number(30))
	s.setDerived(pod, "runAsUser", number(1001))
	// A named account means its token, where a module may have one.
	if !strings.Contains(fmt.Sprint(spec["capabilities"]), "secrets:read") {
		s.setDerived(pod, "automountServiceAccountToken", false)
		s.setDerived(pod, "serviceAccountName", "default")
	}
	s.setDerived(pod, "schedulerName", "default-scheduler")
	if len(pod) > 0 {
		spec["pod"] = pod
	}
	for _, set := range []string{"modules", "capabilities", "env"} {
		list, _ := spec[set].([]any)
		s.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
}

func (s *Speller) setDerived(x map[string]any, field string, value any) {
	if _, has := x[field]; !has && s.often(3) {
		x[field] = value
	}
}

func orDefault(x, fallback any) any {
	if x == nil {
		return fallback
	}
	return x
}

// addHost writes the variable that every handler has.
func (s *Speller) addHost(spec map[string]any) {
	list, _ := spec["env"].([]any)
	isHost := func(item any) bool { return item.(map[string]any)["name"] == "HOST" }
	if !slices.ContainsFunc(list, isHost) && s.often(4) {
		spec["env"] = append(list, map[string]any{"name": "HOST", "value": "0.0.0.0"})
	}
}

// spellRequests writes the requests that the API server takes from limits.
func (s *Speller) spellRequests(resources map[string]any) {
	limits, _ := resources["limits"].(map[string]any)
	requests, _ := orDefault(resources["requests"], map[string]any{}).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		s.setDerived(requests, name, limits[name])
	}
	if len(requests) > 0 {
		resources["requests"] = requests
	}
}

// spellBounds writes the bounds of an autoscaler that are derived from the replicas.
func (s *Speller) spellBounds(spec map[string]any) {
	autoscaling, _ := spec["autoscaling"].(map[string]any)
	if autoscaling["enabled"] != true {
		return
	}
	replicas := 1
	if n, err := fmt.Sscan(fmt.Sprint(spec["replicas"]), &replicas); n == 0 || err != nil {
		replicas = 1
	}
	least := max(1, replicas/2)
	s.setDerived(autoscaling, "minReplicas", number(least))
	s.setDerived(autoscaling, "maxReplicas", number(max(least, 3*replicas)))
}

func number(n int) json.Number { return json.Number(fmt.Sprint(n)) }
