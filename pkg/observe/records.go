package observe

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
)

// RecordIndex finds the records in a cache by the handler that they are of. A label would
// let whoever may change it take a record away from its handler.
const RecordIndex = "gati.record"

// noHandler is the key of records that are of no handler yet. No handler has the name.
const noHandler = "-"

// RecordKeys returns the key of a record in RecordIndex.
func RecordKeys(obj client.Object) []string {
	if name := records.HandlerName(obj.(*v1.GatiVersion)); name != "" {
		return []string{name}
	}
	return []string{noHandler}
}

// IndexRecords prepares a cache, once, for Records and UnboundRecords.
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

// UnboundRecords reads the records that are of no handler yet.
func UnboundRecords(ctx context.Context, cache client.Reader, namespace string) ([]v1.GatiVersion, error) {
	return Records(ctx, cache, namespace, noHandler)
}
