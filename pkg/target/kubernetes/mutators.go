package kubernetes

import (
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// findMutators names the mutating webhooks and policies that get to see objects of a
// kind: one of them is who changes its fields on the way in. Which one, no object
// tells. Without the right to read them no name is known.
func (t *Target) findMutators(ctx context.Context, obj client.Object) []string {
	gvk := obj.GetObjectKind().GroupVersionKind()
	mapping, err := t.writer.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil
	}
	var out []string
	var webhooks admissionregistrationv1.MutatingWebhookConfigurationList
	if t.live.List(ctx, &webhooks) == nil {
		for _, c := range webhooks.Items {
			for _, w := range c.Webhooks {
				if slices.ContainsFunc(w.Rules, func(r admissionregistrationv1.RuleWithOperations) bool { return isCovered(r.Rule, mapping.Resource) }) {
					out = append(out, fmt.Sprintf("webhook %s of MutatingWebhookConfiguration %s", w.Name, c.Name))
				}
			}
		}
	}
	var policies admissionregistrationv1.MutatingAdmissionPolicyList
	if t.live.List(ctx, &policies) == nil {
		for _, p := range policies.Items {
			if m := p.Spec.MatchConstraints; m != nil && slices.ContainsFunc(m.ResourceRules, func(r admissionregistrationv1.NamedRuleWithOperations) bool {
				return isCovered(r.Rule, mapping.Resource)
			}) {
				out = append(out, "MutatingAdmissionPolicy "+p.Name)
			}
		}
	}
	return out
}

// isCovered reports whether a rule is about a resource. The version is left out: the
// API server converts to the one that a rule names.
func isCovered(r admissionregistrationv1.Rule, resource schema.GroupVersionResource) bool {
	has := func(list []string, name string) bool {
		return slices.Contains(list, name) || slices.Contains(list, "*")
	}
	return has(r.APIGroups, resource.Group) && (has(r.Resources, resource.Resource) || slices.Contains(r.Resources, "*/*"))
}
