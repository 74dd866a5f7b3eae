// Package request parses requests to a GatiHandler: the annotation
// gati.dev/request, <verb>[:<argument>]/<uuid>.
//
// The grammar is also that of the policy gati-requests, which checks a request
// before it is stored; test/unitcluster/policy compares the two. A request is
// parsed again before it is handled, because the policy can be removed.
//
// It is pure, and must not know who may make a request, nor how it is handled.
package request
