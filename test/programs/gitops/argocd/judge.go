package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/argoproj/gitops-engine/pkg/diff"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// judged is what Argo CD makes of an object.
type judged struct {
	// Drift has the live and the wanted state for each way of comparing that differs.
	Drift map[string]string `json:"drift"`
	// Health is the status of the live object, and Message its reason.
	Health  string `json:"health"`
	Message string `json:"message"`
}

func (c *cluster) judgeObject(ctx context.Context, config *unstructured.Unstructured, settings string) (*judged, error) {
	live, out, err := c.compareAtRest(ctx, config)
	if err != nil {
		return nil, err
	}
	scripts, err := readHealth(settings)
	if err != nil {
		return nil, err
	}
	health, err := scripts.GetResourceHealth(live)
	if err != nil || health == nil {
		return nil, cmp.Or(err, fmt.Errorf("%s has no health script for %s", settings, config.GetKind()))
	}
	out.Health, out.Message = string(health.Status), health.Message
	return out, nil
}

// compareAtRest compares with a state that nothing wrote to meanwhile: a write of the
// status changes the resourceVersion, which a comparison sees.
func (c *cluster) compareAtRest(ctx context.Context, config *unstructured.Unstructured) (*unstructured.Unstructured, *judged, error) {
	live, err := c.resources.Get(ctx, config.GetName(), metav1.GetOptions{})
	for err == nil {
		out := &judged{Drift: map[string]string{}}
		if err := c.compareObjects(config, live, out); err != nil {
			return nil, nil, err
		}
		before := live.GetResourceVersion()
		if live, err = c.resources.Get(ctx, config.GetName(), metav1.GetOptions{}); err == nil && live.GetResourceVersion() == before {
			return live, out, nil
		}
	}
	return nil, nil, err
}

// withoutStatus is Argo CD's default, ignoreResourceStatusField: all.
type withoutStatus struct{}

func (withoutStatus) Normalize(object *unstructured.Unstructured) error {
	unstructured.RemoveNestedField(object.Object, "status")
	return nil
}

// compareObjects compares by what was applied last, by the published types, and by a dry run.
func (c *cluster) compareObjects(config, live *unstructured.Unstructured, out *judged) error {
	parser, err := c.newParser()
	if err != nil {
		return err
	}
	common := []diff.Option{diff.WithManager(manager), diff.WithGVKParser(parser), diff.WithNormalizer(withoutStatus{})}
	for way, option := range map[string]diff.Option{
		"three-way":        diff.WithStructuredMergeDiff(false),
		"structured merge": diff.WithStructuredMergeDiff(true),
		"server-side":      diff.WithServerSideDiff(true),
	} {
		options := append([]diff.Option{option, diff.WithServerSideDryRunner(c), diff.WithIgnoreMutationWebhook(false)}, common...)
		result, err := diff.Diff(config.DeepCopy(), live.DeepCopy(), options...)
		if err != nil {
			return fmt.Errorf("%s: %w", way, err)
		}
		if result.Modified {
			out.Drift[way] = fmt.Sprintf("live: %s\nwanted: %s", result.NormalizedLive, result.PredictedLive)
		}
	}
	return nil
}
