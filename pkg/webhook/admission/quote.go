package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/target"
)

// quoting decides which words of the API server an answer repeats. Any client that reaches
// the port may forge a review about any namespace. So the answer repeats only values of the
// submitted object and the verdict on it.
type quoting struct {
	// everything is true where only the API server can ask.
	everything bool
	// submitted is the object in JSON.
	submitted []byte
}

func newQuoting(everything bool, obj client.Object) quoting {
	submitted, err := json.Marshal(obj)
	if err != nil {
		submitted = nil // Then no value is repeated.
	}
	return quoting{everything: everything, submitted: submitted}
}

// Sentences in place of words that are not repeated.
var (
	errNamesMissing = errors.New("its pods name an account or class that does not exist yet")
	errNotDecided   = errors.New("the API server could not decide")
	errNoPlan       = errors.New("what is stored leads to no plan")
	errLate         = errors.New("the API server did not answer in time; try again")
)

const ruleOfCluster = "a policy, webhook or limit of the cluster forbids it; after an apply the conditions quote which"

// hideOwner leaves out whose an object is.
func (q quoting) hideOwner(err *target.ForeignError) error {
	if q.everything {
		return err
	}
	return &target.ForeignError{Kind: err.Kind, Namespace: err.Namespace, Name: err.Name}
}

// orElse returns an error of the API server, or a sentence in its place. A timeout
// reveals nothing about objects, so it is always reported.
func (q quoting) orElse(err, sentence error) error {
	switch {
	case q.everything:
		return err
	case errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err):
		return errLate
	default:
		return sentence
	}
}

var (
	podSecurityPattern = lazyregexp.New(`violates PodSecurity "(?:privileged|baseline|restricted):[a-z0-9.]+": .*`)
	// exceededPattern and failedPattern match the sentences of quotas.
	exceededPattern = lazyregexp.New(`exceeded quota: [^,]*, (requested: .*?), used: `)
	failedPattern   = lazyregexp.New(`failed quota: [^:]*: (must specify .*)`)
)

// quoteMessage returns a refusal without fields.
func (q quoting) quoteMessage(text string) string {
	if q.everything {
		return text
	}
	if isDenial(text) {
		return ruleOfCluster
	}
	if found := podSecurityPattern.FindStringSubmatch(text); found != nil {
		return found[0]
	}
	if found := exceededPattern.FindStringSubmatch(text); found != nil {
		return "exceeded quota, " + found[1]
	}
	if found := failedPattern.FindStringSubmatch(text); found != nil {
		return "failed quota: " + found[1]
	}
	return ruleOfCluster
}

// quotePath returns a field that a refusal names, without a key that another's sentence puts
// into it.
func (q quoting) quotePath(field, text string) string {
	if !q.everything && isDenial(text) {
		field, _, _ = strings.Cut(field, "[")
	}
	return field
}

// isDenial reports whether a policy or webhook has refused, in its own words.
func isDenial(text string) bool {
	return strings.Contains(text, deniedByWebhook) || strings.Contains(text, deniedByPolicy)
}

// valueKinds begin the messages about a field that repeat its value.
var valueKinds = []string{"Invalid value: ", "Unsupported value: ", "Duplicate value: ", "Not found: "}

// quoteCause returns the problem of a field. The value is left out unless the submitted
// object holds it: that of a live child may belong to another user.
func (q quoting) quoteCause(text string) string {
	if q.everything {
		return text
	}
	for _, kind := range valueKinds {
		rest, ok := strings.CutPrefix(text, kind)
		if !ok {
			continue
		}
		value, detail := cutValue(rest)
		if q.holdsValue(value) {
			return text
		}
		return strings.TrimSuffix(kind, ": ") + detail
	}
	return text
}

// holdsValue reports whether the submitted object has a value in it.
func (q quoting) holdsValue(value string) bool {
	inJSON, err := json.Marshal(value)
	return err == nil && value != "" && bytes.Contains(q.submitted, bytes.Trim(inJSON, `"`))
}

// cutValue returns the value at the beginning of a text and the rest with its colon. Of a
// value that is no scalar there is none.
func cutValue(text string) (value, rest string) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil {
		value, _ = strconv.Unquote(quoted) // QuotedPrefix has checked it.
		return value, text[len(quoted):]
	}
	if value, rest, ok := strings.Cut(text, ": "); ok && !strings.ContainsAny(value, `{[("`) {
		return value, ": " + rest
	}
	if at := strings.LastIndex(text, ": "); at >= 0 {
		return "", text[at:]
	}
	return "", ""
}
