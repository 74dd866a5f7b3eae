package weather

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/gateway"
)

// requests are what users ask for.
var requests = []string{"promote", "promote:full", "pause", "resume", "abort", "retry", "rollback", "rollback:v2", "restart", "decommission:v2"}

// changes are merged into specs.
var changes = []string{
	`{"image":"app:v1"}`, `{"image":"app:v2"}`, `{"image":"app:v3"}`, `{"image":"app:v4"}`,
	`{"replicas":1}`, `{"replicas":3}`, `{"port":3000}`, `{"port":4000}`,
	`{"env":[{"name":"A","value":"1"}]}`, `{"env":null}`, `{"versions":{"coldAfter":"48h"}}`, `{"versions":{"minActive":2}}`, `{"versions":{"minActive":1}}`,
}

// doRandomDeed does one random thing and returns its name with what came of it.
func (s *sky) doRandomDeed() string {
	p := s.places[s.random.Intn(len(s.places))]
	name := p.handlers[s.random.Intn(len(p.handlers))]
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	what, err := "", error(nil)
	switch n := s.random.Intn(100); {
	case n < 35:
		what, err = "change", p.patchSpec(ctx, name, changes[s.random.Intn(len(changes))])
	case n < 60:
		verb := requests[s.random.Intn(len(requests))]
		what, err = verb, p.requestVerb(ctx, name, verb)
	case n < 65:
		what, err = "share", p.setTrafficShare(ctx, name, fmt.Sprintf("v%d", 1+s.random.Intn(4)), s.random.Intn(5)*25)
	case n < 75:
		what, err = s.deleteChild(ctx, p, name)
	case n < 80:
		what, err = "delete-revision", s.deleteAny(ctx, p, name, &appsv1.ControllerRevisionList{})
	case n < 87:
		what, err = s.toggleObject(ctx, "quota", p.makeQuota())
	case n < 93:
		what, err = s.toggleObject(ctx, "foreign-webhook", p.makeRefusingWebhook())
	case n < 97:
		what = s.disturbGateway(p)
	case n < 98:
		what, err = "kill-api-server", s.killServer()
	default:
		what, err = "kill-leader", s.killLeader()
	}
	if err != nil {
		return what + "-refused"
	}
	return what
}

func (p *place) patchSpec(ctx context.Context, name, spec string) error {
	h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name}}
	return admin.Patch(ctx, h, client.RawPatch(types.MergePatchType, []byte(`{"spec":`+spec+`}`)))
}

func (p *place) requestVerb(ctx context.Context, name, verb string) error {
	h := &v1.GatiHandler{}
	if err := admin.Get(ctx, client.ObjectKey{Namespace: p.ns, Name: name}, h); err != nil {
		return err
	}
	return patchRequest(ctx, h, verb)
}

func patchRequest(ctx context.Context, h *v1.GatiHandler, verb string) error {
	before := h.DeepCopy()
	metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequest, verb+"/"+string(uuid.NewUUID()))
	metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequestedBy, user)
	return admin.Patch(ctx, h, client.MergeFrom(before))
}

// setTrafficShare sets a version's traffic by hand, which counts under Manual alone.
func (p *place) setTrafficShare(ctx context.Context, name, version string, percent int) error {
	record := &v1.GatiVersion{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name + "-" + version}}
	return admin.Patch(ctx, record, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"traffic":%d}}`, percent)))
}

// deleteChild deletes one object of a handler.
func (s *sky) deleteChild(ctx context.Context, p *place, name string) (string, error) {
	switch s.random.Intn(4) {
	case 0:
		return "delete-Deployment", s.deleteAny(ctx, p, name, &appsv1.DeploymentList{})
	case 1:
		return "delete-Service", s.deleteAny(ctx, p, name, &corev1.ServiceList{})
	case 2:
		return "delete-ConfigMap", s.deleteAny(ctx, p, name, &corev1.ConfigMapList{})
	default:
		return "delete-HTTPRoute", s.deleteAny(ctx, p, name, &gatewayv1.HTTPRouteList{})
	}
}

// deleteAny deletes a random object of a handler among those of a kind.
func (s *sky) deleteAny(ctx context.Context, p *place, name string, list client.ObjectList) error {
	objects, err := childrenOf(ctx, p.ns, name, list)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		return fmt.Errorf("%s has none", name)
	}
	obj := objects[s.random.Intn(len(objects))]
	s.watch.expectDeletion(obj.GetUID())
	return admin.Delete(ctx, obj)
}

// toggleObject creates an object, or removes it where it is.
func (s *sky) toggleObject(ctx context.Context, what string, obj client.Object) (string, error) {
	err := admin.Create(ctx, obj)
	if client.IgnoreAlreadyExists(err) == nil && err != nil {
		return what + "-off", admin.Delete(ctx, obj)
	}
	return what + "-on", err
}

func (s *sky) disturbGateway(p *place) string {
	switch s.random.Intn(4) {
	case 0:
		gateways.Set(p.gateway, gateway.Behavior{Refusal: "NotAllowedByListeners"})
		return "gateway-refuses"
	case 1:
		gateways.Set(p.gateway, gateway.Behavior{Absent: true})
		return "gateway-silent"
	case 2:
		gateways.Set(p.gateway, gateway.Behavior{After: 3 * time.Second})
		return "gateway-late"
	default:
		gateways.Set(p.gateway, gateway.Behavior{})
		return "gateway-well"
	}
}

func (s *sky) killServer() error {
	const server = "kube-apiserver"
	if err := env.Cluster.Kill(s.t.Context(), server); err != nil {
		return err
	}
	return env.Cluster.Restart(s.t.Context(), server)
}

func (s *sky) killLeader() error {
	if err := env.Webhook.Kill(); err != nil {
		return err
	}
	return env.Webhook.Start(s.t.Context())
}
