package doctor

import (
	"encoding/json"

	"gati.dev/gati/manifests/bundle"
	"gati.dev/gati/pkg/cli/doctor/checkup"
)

// readShipped has the objects of the plugin's own manifests.
func readShipped() (checkup.Shipped, error) {
	s := checkup.Shipped{CRDs: map[string]checkup.CRD{}, Hooks: map[string]checkup.HookConfiguration{}}
	objects, err := bundle.Objects("")
	if err != nil {
		return s, err
	}
	for _, o := range objects {
		raw, err := json.Marshal(o)
		if err != nil {
			return s, err
		}
		switch o.GetKind() {
		case "CustomResourceDefinition":
			var crd checkup.CRD
			err = json.Unmarshal(raw, &crd)
			s.CRDs[o.GetName()] = crd
		case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
			var hooks checkup.HookConfiguration
			err = json.Unmarshal(raw, &hooks)
			s.Hooks[o.GetKind()+" "+o.GetName()] = hooks
		case "ValidatingAdmissionPolicy":
			s.Policies = append(s.Policies, o.GetName())
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}
