package signals

import "golang.org/x/sync/errgroup"

// turnList has the requests of a round by namespace, each namespace's in their order.
type turnList struct {
	namespaces []string
	requests   map[string][]func()
}

func (t *turnList) add(namespace string, request func()) {
	if t.requests == nil {
		t.requests = map[string][]func(){}
	}
	if _, known := t.requests[namespace]; !known {
		t.namespaces = append(t.namespaces, namespace)
	}
	t.requests[namespace] = append(t.requests[namespace], request)
}

// start starts the first request of each namespace, then the second of each: whatever one
// namespace asks for, the others wait for one request of it at a time.
func (t *turnList) start(group *errgroup.Group) {
	for turn, isLeft := 0, true; isLeft; turn++ {
		isLeft = false
		for _, namespace := range t.namespaces {
			if requests := t.requests[namespace]; turn < len(requests) {
				isLeft = true
				group.Go(func() error { requests[turn](); return nil })
			}
		}
	}
}
