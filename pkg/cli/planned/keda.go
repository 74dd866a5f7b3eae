package planned

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/naming"
)

// readKeda completes the facts of an object that KEDA scales: whether ScaledObjects are
// served, and the operator's Prometheus as the present ScaledObjects name it. Only
// gati-webhook reads the operator's configuration.
func (c *Cluster) readKeda(ctx context.Context, f *facts.Facts, owner client.MatchingLabels, a *v1.Autoscaling) error {
	if a == nil || a.Keda == nil {
		return nil
	}
	var list kedav1alpha1.ScaledObjectList
	err := c.Reader.List(ctx, &list, client.InNamespace(f.Namespace), owner)
	switch {
	case cluster.NotServed(err):
		return nil
	case apierrors.IsForbidden(err):
		f.ScaledObjectServed = true
		return nil
	case err != nil:
		return cluster.Explain(err)
	}
	f.ScaledObjectServed = true
	for i := range list.Items {
		if rate := rateOf(&list.Items[i], a.Keda); rate.Server != "" {
			f.RequestRate = rate
		}
	}
	return nil
}

// rateOf returns the operator's Prometheus that a ScaledObject names. The trigger comes
// before those of the user.
func rateOf(s *kedav1alpha1.ScaledObject, k *v1.Keda) facts.RequestRate {
	own := len(s.Spec.Triggers) - len(k.Triggers)
	at := slices.IndexFunc(s.Spec.Triggers, func(t kedav1alpha1.Trigger) bool { return t.Type == "prometheus" })
	if at < 0 || at >= own {
		return facts.RequestRate{}
	}
	t := s.Spec.Triggers[at]
	query := strings.NewReplacer(s.Namespace, facts.PlaceNamespace, naming.PodPattern(s.Name), facts.PlacePods).Replace(t.Metadata["query"])
	out := facts.RequestRate{Server: t.Metadata["serverAddress"], Query: query}
	if t.AuthenticationRef != nil {
		out.Authentication, out.AuthModes = t.AuthenticationRef.Name, t.Metadata["authModes"]
	}
	return out
}
