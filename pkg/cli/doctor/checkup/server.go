package checkup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// oldest is the first minor version of Kubernetes 1 that install.yaml is for.
const oldest = 33

func checkServerVersion(f *Facts) []Finding {
	if !f.Server.Known() {
		return nil
	}
	v := f.Server.Value
	minor, err := strconv.Atoi(strings.TrimRight(v.Minor, "+"))
	if err != nil || v.Major != "1" {
		return newUnknown(fmt.Sprintf("%q is a version of Kubernetes that this plugin does not know", v.GitVersion), "")
	}
	if minor < oldest {
		return []Finding{newProblem("", fmt.Sprintf("Kubernetes %s is older than 1.%d", v.GitVersion, oldest), "upgrade the cluster first")}
	}
	return newSuccess("Kubernetes " + v.GitVersion)
}

// needed are the API versions that Gati uses in every cluster.
var needed = []string{
	"admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apps/v1", "authorization.k8s.io/v1", "autoscaling/v2",
	"coordination.k8s.io/v1", "discovery.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1", "networking.k8s.io/v1", "policy/v1",
	"rbac.authorization.k8s.io/v1", "scheduling.k8s.io/v1",
}

func checkServerAPIs(f *Facts) []Finding {
	if !f.Served.Known() {
		return nil
	}
	var missing []string
	for _, api := range needed {
		if group, version, _ := strings.Cut(api, "/"); !slices.Contains(f.Served.Value[group], version) {
			missing = append(missing, api)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Finding{newProblem("", "not served: "+strings.Join(missing, ", "), "look for it in --runtime-config of the API server")}
}

func checkInstallRights(f *Facts) []Finding {
	var missing []string
	for _, r := range f.Installing.Value {
		if !r.Allowed && r.Unread == "" {
			missing = append(missing, r.Resource)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Finding{newProblem("", "you may not create "+strings.Join(missing, ", "), "ask a user with the role cluster-admin to install Gati")}
}
