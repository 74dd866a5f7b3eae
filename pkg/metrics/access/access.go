package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/semaphore"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// maxReviews is how many callers the API server is asked about at once: a flood of
	// tokens that are none must not become one of reviews.
	maxReviews = 4
	// reviewTimeout bounds the two questions about a caller.
	reviewTimeout = 10 * time.Second
	// allowedFor and refusedFor are how long an answer holds.
	allowedFor = time.Minute
	refusedFor = 10 * time.Second
	// maxAnswers bounds the answers that are kept.
	maxAnswers = 1000
)

// Creator creates reviews at the API server.
type Creator interface {
	Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error
}

// Gate asks the API server who a caller is, and whether it may get a URL.
type Gate struct {
	reviews Creator
	now     func() time.Time
	asking  *semaphore.Weighted

	mu      sync.Mutex
	answers map[[sha256.Size]byte]answer
}

// answer is the HTTP status for a caller.
type answer struct {
	status int
	until  time.Time
}

// New returns a Gate.
func New(reviews Creator) *Gate {
	return &Gate{reviews: reviews, now: time.Now, asking: semaphore.NewWeighted(maxReviews), answers: map[[sha256.Size]byte]answer{}}
}

// Filter returns a handler behind the gate.
func (g *Gate) Filter(log logr.Logger, next http.Handler) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := g.authorizeRequest(r)
		if err != nil {
			log.Error(err, "a caller of the metrics could not be reviewed")
		}
		if status != http.StatusOK {
			http.Error(w, http.StatusText(status), status)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// authorizeRequest returns the status for a request, 200 where it may pass.
func (g *Gate) authorizeRequest(r *http.Request) (int, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || token == "" {
		return http.StatusUnauthorized, nil
	}
	wish := authorizationv1.NonResourceAttributes{Path: r.URL.Path, Verb: strings.ToLower(r.Method)}
	key := sha256.Sum256([]byte(wish.Verb + " " + wish.Path + "\n" + token))
	if status, ok := g.recallStatus(key); ok {
		return status, nil
	}
	if !g.asking.TryAcquire(1) {
		return http.StatusTooManyRequests, nil
	}
	defer g.asking.Release(1)
	ctx, cancel := context.WithTimeout(r.Context(), reviewTimeout)
	defer cancel()
	status, err := g.reviewToken(ctx, token, wish)
	if err != nil {
		return http.StatusServiceUnavailable, err
	}
	g.rememberStatus(key, status)
	return status, nil
}

// reviewToken asks the API server.
func (g *Gate) reviewToken(ctx context.Context, token string, wish authorizationv1.NonResourceAttributes) (int, error) {
	who := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	if err := g.reviews.Create(ctx, who); err != nil {
		return 0, fmt.Errorf("review a token: %w", err)
	}
	if !who.Status.Authenticated {
		return http.StatusUnauthorized, nil
	}
	user := who.Status.User
	if user.Username == "" {
		return 0, errors.New("review a token: the API server names no user")
	}
	extra := map[string]authorizationv1.ExtraValue{}
	for key, values := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(values)
	}
	may := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, Groups: user.Groups, UID: user.UID, Extra: extra, NonResourceAttributes: &wish,
	}}
	if err := g.reviews.Create(ctx, may); err != nil {
		return 0, fmt.Errorf("review the access of %s: %w", user.Username, err)
	}
	if !may.Status.Allowed {
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}

func (g *Gate) recallStatus(key [sha256.Size]byte) (int, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept, ok := g.answers[key]
	return kept.status, ok && g.now().Before(kept.until)
}

func (g *Gate) rememberStatus(key [sha256.Size]byte, status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.answers) >= maxAnswers {
		clear(g.answers)
	}
	lasts := refusedFor
	if status == http.StatusOK {
		lasts = allowedFor
	}
	g.answers[key] = answer{status, g.now().Add(lasts)}
}
