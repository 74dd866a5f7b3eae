package expand

import (
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// inOneSpelling returns a copy of settings in which equal amounts and durations have equal
// texts: a child is written anew where a text of it changes.
func inOneSpelling[T interface{ DeepCopy() T }](settings T) T {
	out := settings.DeepCopy()
	visit(reflect.ValueOf(out), func(value any) {
		switch v := value.(type) {
		case *resource.Quantity:
			*v = canonicalAmount(*v)
		case *gatewayv1.HTTPRouteTimeouts:
			canonicalTime(v.Request)
			canonicalTime(v.BackendRequest)
		}
	})
	return out
}

// canonicalAmount has binary units for whole Mi, else decimal ones.
func canonicalAmount(q resource.Quantity) resource.Quantity {
	format := resource.DecimalSI
	if mebibyte := int64(1 << 20); q.Value() != 0 && q.Cmp(*resource.NewQuantity(q.Value()/mebibyte*mebibyte, format)) == 0 {
		format = resource.BinarySI
	}
	return *resource.NewDecimalQuantity(*q.AsDec(), format)
}

// canonicalTime has seconds or milliseconds, where Gateway API allows so many.
func canonicalTime(d *gatewayv1.Duration) {
	const most = 99_999 // Five digits.
	if d == nil {
		return
	}
	length, err := time.ParseDuration(string(*d))
	switch {
	case err != nil:
	case length%time.Second == 0 && length/time.Second <= most:
		*d = gatewayv1.Duration(fmt.Sprintf("%ds", length/time.Second))
	case length/time.Millisecond <= most:
		*d = gatewayv1.Duration(fmt.Sprintf("%dms", length/time.Millisecond))
	}
}
