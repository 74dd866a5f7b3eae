// Package request reads the requests that people make of a GatiHandler: the
// annotation gati.dev/request, <verb>[:<argument>]/<uuid>.
//
// The grammar is also that of the policy gati-requests, which admits a request
// before it is stored; test/unitcluster/policy holds the two together. Whoever acts on a
// request parses it all the same: a policy can be removed.
//
// It is pure, and must not know who may ask for what, nor how a request is acted
// upon.
package request
