package checkup

import (
	"strings"

	"gati.dev/gati/pkg/remedy"
)

// newAbsent returns the problem of an object that is missing, newChanged that of one whose
// fields others have set: these are taken over again.
func newAbsent(f *Facts, object, message string) Finding {
	return newFixable(object, message, "restore it", restoreCommand(f, ""))
}

func newChanged(f *Facts, object, message string) Finding {
	return newFixable(object, message, "restore it", restoreCommand(f, " --force-conflicts"))
}

// restoreCommand returns the command that writes all objects of the installation again, as
// it was installed: by Helm, with gati-webhook outside the cluster, or from a mirror.
func restoreCommand(f *Facts, force string) string {
	if release, namespace := helmRelease(f); release != "" {
		return remedy.RestoreChart.For(release, namespace, release, namespace)
	}
	command := string(remedy.Upgrade)
	live, shipped := imageOf(f.Deployment, "gati-webhook"), f.Shipped.Image
	if at := outsideAddress(f); at != "" {
		command += " --webhook-url https://" + at
	} else if from := repositoryOf(live); from != "" && from != repositoryOf(shipped) {
		command += " --image " + from + strings.TrimPrefix(shipped, repositoryOf(shipped))
	}
	return command + force
}

// helmRelease returns the release that the CRDs belong to, empty where there is none. The
// chart has them as templates.
func helmRelease(f *Facts) (name, namespace string) {
	for _, crd := range f.CRDs {
		if a := crd.Value.Metadata.Annotations; a["meta.helm.sh/release-name"] != "" {
			return a["meta.helm.sh/release-name"], a["meta.helm.sh/release-namespace"]
		}
	}
	return "", ""
}

// upgradeHint is the remedy for parts of different releases.
func upgradeHint(f *Facts) string {
	if release, namespace := helmRelease(f); release != "" {
		return "upgrade the older one: the release " + release + " of namespace " + namespace + " by Helm, or " + string(remedy.UpgradePlugin)
	}
	return "upgrade the older one: " + restoreCommand(f, " --force-conflicts") + ", or " + string(remedy.UpgradePlugin)
}

// tagOf returns the tag of an image, with or without a digest; empty where it has none.
func tagOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	return strings.TrimPrefix(strings.TrimPrefix(image, repositoryOf(image)), ":")
}

// repositoryOf returns an image without its tag and digest.
func repositoryOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
		return image[:i]
	}
	return image
}
