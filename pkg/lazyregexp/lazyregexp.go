// Package lazyregexp compiles a regular expression when it is first used. The
// plugin links every check of the API. Compiling all of their patterns would take a
// third of the time of "kubectl gati --help".
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled on first use. It is safe for
// concurrent use.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New returns the expression. It panics on first use if the text does not compile,
// so each pattern needs a test.
func New(text string) *Regexp {
	return &Regexp{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// MatchString is that of regexp.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindStringSubmatch is that of regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// ReplaceAllString is that of regexp.
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is that of regexp.
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, with)
}

// FindAllStringSubmatchIndex is that of regexp, without a limit.
func (r *Regexp) FindAllStringSubmatchIndex(s string) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, -1)
}
