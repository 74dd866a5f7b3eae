package report

import (
	"errors"
	"time"

	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/target"
)

// removalTime is for how long the finalizer of a child that is being deleted is no obstacle:
// controllers such as KEDA's need a moment.
const removalTime = 30 * time.Second

// NoteObstacles sets the obstacle of each child that has no other problem. Nil obstacles are
// left out.
func NoteObstacles(children []target.Child, now time.Time, found ...*diagnose.Obstacle) {
	for i := range children {
		c := &children[i]
		for _, o := range found {
			if o != nil && c.Problem == nil && c.Kind == o.Kind && c.Name == o.Name {
				c.Problem = o
			}
		}
		if o := (*diagnose.Obstacle)(nil); errors.As(c.Problem, &o) && now.Sub(o.Since) < removalTime {
			c.Problem = &target.UnsyncedError{Kind: c.Kind, Name: c.Name, Why: "it is being deleted"}
		}
	}
}
