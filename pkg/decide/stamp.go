package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

// Stamp is the plan at rest, as admission writes it on a handler or module: the
// children that the declared version alone leads to at 100 %.
//
// It is a function of spec, facts and kept revisions. Replicas as they are now, uids
// and other versions have no part in it, so admission and controller agree on it.
type Stamp struct {
	// Plan is the hash of the children, with their content.
	Plan string
	// Children has their kinds and names: Deployment/handler-users,Service/handler-users.
	Children string
}

// StampHandler returns the stamp of a handler, of which the story needs Handler,
// Result, Resolved and Revisions.
func StampHandler(s *Story) (Stamp, error) {
	bare := &v1.GatiHandler{ObjectMeta: withoutUID(s.Handler), Spec: s.Handler.Spec}
	running, _ := runningRevision(&Story{Handler: bare, Resolved: s.Resolved, Result: s.Result, Revisions: s.Revisions})
	return stampOf(running, expand.HandlerAlone(bare, s.Resolved, running, nil, nil).Objects)
}

// StampModule returns the stamp of a module, of which the story needs Module, Result,
// Resolved and Revisions.
func StampModule(s *ModuleStory) (Stamp, error) {
	bare := &v1.GatiModule{ObjectMeta: withoutUID(s.Module), Spec: s.Module.Spec}
	running, _ := declaredRevision(&ModuleStory{Module: bare, Resolved: s.Resolved, Result: s.Result, Revisions: s.Revisions})
	return stampOf(running, expand.Module(bare, s.Resolved, running, nil, []int32{*s.Resolved.Spec.Port}, nil).Objects)
}

// withoutUID returns the name of an owner that admission has not seen stored yet.
func withoutUID(owner client.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: owner.GetName(), Namespace: owner.GetNamespace()}
}

func stampOf(running expand.Revision, children []client.Object) (Stamp, error) {
	names := []string{revisionKind + "/" + running.Name}
	for _, child := range children {
		names = append(names, child.GetObjectKind().GroupVersionKind().Kind+"/"+child.GetName())
	}
	content, err := json.Marshal(children)
	if err != nil {
		return Stamp{}, fmt.Errorf("encode the plan: %w", err)
	}
	sum := sha256.Sum256(content)
	return Stamp{Plan: hex.EncodeToString(sum[:8]), Children: strings.Join(names, ",")}, nil
}

const revisionKind = "ControllerRevision"

// StampOf returns the stamp that an object carries.
func StampOf(obj client.Object) Stamp {
	annotations := obj.GetAnnotations()
	return Stamp{Plan: annotations[v1.AnnotationPlan], Children: annotations[v1.AnnotationChildren]}
}

// CountChildren returns how many children the plan has. The revision in the inventory is
// none.
func (s Stamp) CountChildren() int { return strings.Count(s.Children, ",") }

// Revision returns the name of the revision in the inventory, empty where there is
// none. The name ends with the hash of the inputs.
func (s Stamp) Revision() string {
	first, _, _ := strings.Cut(s.Children, ",")
	name, _ := strings.CutPrefix(first, revisionKind+"/")
	return name
}
