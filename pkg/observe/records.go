package observe

import (
	"cmp"
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
)

// RecordIndex finds the records of a handler in a cache. It does not use labels: a user who
// may change a label could take a record away from its handler.
const RecordIndex = "gati.record"

// noHandler is the key of records that are of no handler yet. No handler has the name.
const noHandler = "-"

// versionKey and sharedKey are the keys of the records of one version, empty for those
// that wait for one, and of those with tags or transformers. No handler has a name with a
// slash.
func versionKey(handler, version string) string { return handler + "/" + version }
func sharedKey(handler string) string           { return handler + "//" }

// RecordKeys returns the keys of a record in RecordIndex.
func RecordKeys(obj client.Object) []string {
	record := obj.(*v1.GatiVersion)
	name := records.HandlerName(record)
	if name == "" {
		return []string{noHandler}
	}
	out := []string{name, versionKey(name, cmp.Or(string(record.Spec.Version), record.Status.Version))}
	if records.HasShared(record) {
		out = append(out, sharedKey(name))
	}
	return out
}

// IndexRecords prepares a cache, once, for the functions below.
func IndexRecords(ctx context.Context, fields client.FieldIndexer) error {
	if err := fields.IndexField(ctx, &v1.GatiVersion{}, RecordIndex, RecordKeys); err != nil {
		return fmt.Errorf("index records by their handler: %w", err)
	}
	return nil
}

// Records reads the records of a handler from a cache with RecordIndex.
func Records(ctx context.Context, cache client.Reader, namespace, handler string) ([]v1.GatiVersion, error) {
	var list v1.GatiVersionList
	err := cache.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{RecordIndex: handler})
	return list.Items, err
}

// VersionRecords reads the records of one version of a handler; without a version those
// that wait for the one that the handler declares.
func VersionRecords(ctx context.Context, cache client.Reader, namespace, handler, version string) ([]v1.GatiVersion, error) {
	return Records(ctx, cache, namespace, versionKey(handler, version))
}

// SharedRecords reads the records of a handler that have tags or transformers.
func SharedRecords(ctx context.Context, cache client.Reader, namespace, handler string) ([]v1.GatiVersion, error) {
	return Records(ctx, cache, namespace, sharedKey(handler))
}

// UnboundRecords reads the records that are of no handler yet.
func UnboundRecords(ctx context.Context, cache client.Reader, namespace string) ([]v1.GatiVersion, error) {
	return Records(ctx, cache, namespace, noHandler)
}
