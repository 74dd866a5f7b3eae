package integration

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

const blogImage = "blog:v2.0.0"

// "Samples 001, 002, 003 as they are: each alone in default (deleted with
// children collected in between), then one over another in that order. By kubectl
// apply, apply --server-side and create." The short form sends them in one of the three
// ways, "make soak NAME=samplesAsTheyAreInDefault" in all.
func TestSamplesAsTheyAreInDefault(t *testing.T) {
	t.Parallel()
	chosen := soak.Share(t, "samplesAsTheyAreInDefault", len(verbs))
	for _, v := range verbs {
		if !chosen() {
			continue
		}
		// One after the other: they share the namespace and the names.
		t.Run(v.name, func(t *testing.T) {
			proveSamples(t, v, func(t *testing.T, name string) manifest { return asIs(t, name, "default") })
		})
	}
}

// "… the same through v1": the three are of v1alpha1 as they lie there. The short form
// sends them in one of the three ways, "make soak NAME=samplesThroughV1" in all.
func TestSamplesThroughV1(t *testing.T) {
	t.Parallel()
	chosen := soak.Share(t, "samplesThroughV1", len(verbs))
	for _, v := range verbs {
		if !chosen() {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			proveSamples(t, v, func(t *testing.T, name string) manifest { return inVersion(t, name, ns, "v1") })
		})
	}
}

// proveSamples sends each of the three alone, and then one over another.
func proveSamples(t *testing.T, v verb, load func(*testing.T, string) manifest) {
	order := []string{sampleReadme, sampleSummary, sampleCRDs}
	for _, name := range order {
		t.Run("alone "+name, func(t *testing.T) {
			m := load(t, name)
			defer m.deleteAndAwait(t)
			m.runKubectl(t, v.first...)
			checkSample(t, m, name, recordAlone(name))
			checkRepeat(t, m, v)
		})
	}
	t.Run("one over another", func(t *testing.T) {
		defer load(t, sampleReadme).deleteAndAwait(t)
		for i, name := range order {
			m, args := load(t, name), v.next
			if i == 0 {
				args = v.first
			}
			m.runKubectl(t, args...)
			checkSample(t, m, name, "user-handler-v1")
			checkRepeat(t, m, v)
			checkKubectlReads(t, m)
		}
	})
}

// recordAlone returns the one record of v1.0.0: that of the file where it has one, and
// otherwise the automatic one.
func recordAlone(sample string) string {
	if sample == sampleSummary {
		return "user-handler-v1-0-0"
	}
	return "user-handler-v1"
}

// "002 gives Deployment and Service handler-user-handler; 001 module-db-module
// too, and user-handler-v1 is the one record of v1.0.0."
func checkSample(t *testing.T, m manifest, sample, record string) {
	t.Helper()
	readyHandler(t, m.namespace, "user-handler")
	checkServed(t, m.namespace, "handler-user-handler", "my-app:v1.0.0", 2, 3000)
	if sample == sampleReadme {
		readyModule(t, m.namespace, "db-module")
		checkServed(t, m.namespace, "module-db-module", "db-module:v1.0.0", 1, 50051)
	}
	acceptedRecord(t, m.namespace, record, true, "version v1.0.0 of handler user-handler")
	want := map[string]string{record: "v1.0.0"}
	await.Eventually(t, fmt.Sprintf("%s as the one record", record), func() error {
		if got := readRecords(t, m.namespace); !maps.Equal(got, want) {
			return fmt.Errorf("records are %v, want %v", got, want)
		}
		return nil
	})
	checkSentIsKept(t, m)
}

// checkServed checks a Deployment and the Service in front of its pods.
func checkServed(t *testing.T, ns, name, image string, replicas, port int32) {
	t.Helper()
	d := readObject[appsv1.Deployment](t, ns, name)
	if got := d.Spec.Template.Spec.Containers[0].Image; got != image || *d.Spec.Replicas != replicas {
		t.Errorf("Deployment %s runs %d of %s, want %d of %s", name, *d.Spec.Replicas, got, replicas, image)
	}
	s := readObject[corev1.Service](t, ns, name)
	if len(s.Spec.Ports) != 1 || s.Spec.Ports[0].Port != port {
		t.Errorf("Service %s has ports %v, want %d alone", name, s.Spec.Ports, port)
	}
	if !maps.Equal(s.Spec.Selector, d.Spec.Selector.MatchLabels) {
		t.Errorf("Service %s selects %v, its Deployment %v", name, s.Spec.Selector, d.Spec.Selector.MatchLabels)
	}
}

// "000 in a namespace annotated gati.dev/image."
func TestBlogSampleTakesTheImageOfItsNamespace(t *testing.T) {
	t.Parallel()
	for _, v := range verbs {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t, v1.AnnotationImage, blogImage)
			m := asIs(t, sampleBlog, ns)
			m.runKubectl(t, v.first...)
			h := readyHandler(t, ns, "users-api")
			if h.Status.Version != "v2.0.0" || h.Spec.Image != "" {
				t.Errorf("version %q, spec.image %q; want v2.0.0 from the namespace's image, and nothing in the spec", h.Status.Version, h.Spec.Image)
			}
			checkServed(t, ns, "handler-users-api", blogImage, 3, 3000)
			hpa := readObject[autoscalingv2.HorizontalPodAutoscaler](t, ns, "handler-users-api")
			if *hpa.Spec.MinReplicas > 3 || hpa.Spec.MaxReplicas != 10 {
				t.Errorf("the autoscaler goes from %d to %d, want 2 (3 while it takes over) to 10", *hpa.Spec.MinReplicas, hpa.Spec.MaxReplicas)
			}
			acceptedRecord(t, ns, "users-v2", true, "version v2.0.0 of handler users-api")
			checkSentIsKept(t, m)
			checkRepeat(t, m, v)
			m.deleteAndAwait(t)
		})
	}
}

// "… and without it rejected with a message that says how to set it."
func TestBlogSampleWithoutAnImageIsRejected(t *testing.T) {
	t.Parallel()
	for _, v := range verbs {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			m := asIs(t, sampleBlog, ns)
			out, err := cluster.Run(t.Context(), "", append([]string{"-n", ns, "-f", m.path}, v.first...)...)
			if err == nil {
				t.Fatalf("it was admitted: %s", out)
			}
			if err := checkContains(out, "spec.image", "kubectl annotate namespace "+ns, v1.AnnotationImage+"="); err != nil {
				t.Error(err)
			}
			if got := listObjects[v1.GatiHandler, v1.GatiHandlerList](t, ns); len(got) > 0 {
				t.Errorf("the handler is stored all the same: %v", got[0].Name)
			}
			if strings.Contains(out, "gatihandler.gati.dev/users-api created") {
				t.Errorf("kubectl says created:\n%s", out)
			}
		})
	}
}
