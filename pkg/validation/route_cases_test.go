package validation

import (
	"maps"
	"strings"
)

func init() { maps.Copy(handlerCases, routeCases) }

var routeCases = map[string]testCase{
	"faulty parent": {check: "route", spec: `{"route":{"parentRefs":[{"name":"","group":"_","kind":"_","namespace":"_","sectionName":"_","port":0}]}}`,
		want: []string{invalid + "route.parentRefs[0].name", invalid + "route.parentRefs[0].group", invalid + "route.parentRefs[0].kind", invalid + "route.parentRefs[0].namespace", invalid + "route.parentRefs[0].sectionName", invalid + "route.parentRefs[0].port"}},
	"a parent twice":             parentsCase(`{"name":"g"},{"name":"g","group":"gateway.networking.k8s.io","kind":"Gateway"}`, invalid+"route.parentRefs[1]"),
	"a parent and its section":   parentsCase(`{"name":"g","namespace":"n"},{"name":"g","namespace":"n","sectionName":"a"}`, invalid+"route.parentRefs[1]"),
	"a section twice":            parentsCase(`{"name":"g","sectionName":"a"},{"name":"g","sectionName":"b"},{"name":"g","sectionName":"a"}`, invalid+"route.parentRefs[2]"),
	"ports of a parent":          parentsCase(`{"name":"g","port":80},{"name":"g","port":443}`, invalid+"route.parentRefs[1]"),
	"sections of a parent":       parentsCase(`{"name":"g","sectionName":"a"},{"name":"g","sectionName":"b"}`),
	"parents with the same name": parentsCase(`{"name":"g"},{"name":"g","namespace":"n"},{"name":"g","kind":"Service","group":""},{"name":"g","kind":"ListenerSet"}`),
	"faulty host names": {check: "route", spec: `{"route":{"parentRefs":[{"name":"g"}],"hostnames":["a_b","*","10.0.0.1"]}}`,
		want: []string{invalid + "route.hostnames[0]", invalid + "route.hostnames[1]", invalid + "route.hostnames[2]"}},
	"faulty timeouts":  {check: "route", spec: `{"route":{"parentRefs":[{"name":"g"}],"timeouts":{"request":"1","backendRequest":"1d"}}}`, want: []string{invalid + "route.timeouts.request", invalid + "route.timeouts.backendRequest"}},
	"crossed timeouts": {check: "route", spec: `{"route":{"parentRefs":[{"name":"g"}],"timeouts":{"request":"1s","backendRequest":"2s"}}}`, want: []string{invalid + "route.timeouts"}},

	"parameters and no match": {check: "pathMatch", spec: `{"path":"/a/:b","route":{"parentRefs":[{"name":"g"}]}}`, want: []string{required + "route.pathMatch"}},
	"parameters and Exact":    {check: "pathMatch", spec: `{"path":"/a/[b]","route":{"parentRefs":[{"name":"g"}],"pathMatch":"Exact"}}`, want: []string{invalid + "route.pathMatch"}},
	"star and Exact":          {check: "pathMatch", spec: `{"path":"/a/*","route":{"parentRefs":[{"name":"g"}],"pathMatch":"Exact"}}`, want: []string{invalid + "route.pathMatch"}},
	"an expression too long":  {check: "pathMatch", spec: `{"path":"/` + strings.Repeat(".", 511) + `","route":{"parentRefs":[{"name":"g"}],"pathMatch":"RegularExpression"}}`, want: []string{invalid + "route.pathMatch"}},
	"star and no match":       {spec: `{"path":"/a/*","route":{"parentRefs":[{"name":"g"}]}}`},

	"unknown filter":          filterCase(`{"type":"ExternalAuth"}`, enum+"route.filters[0].type"),
	"filter without settings": filterCase(`{"type":"URLRewrite"}`, invalid+"route.filters[0]"),
	"settings of another":     filterCase(`{"type":"CORS","cors":{},"urlRewrite":{}}`, invalid+"route.filters[0]"),
	"faulty headers": filterCase(`{"type":"RequestHeaderModifier","requestHeaderModifier":{"set":[{"name":"a b","value":"x"},{"name":"A","value":"x"},{"name":"A","value":""}],"remove":["X","X"]}}`,
		invalid+"route.filters[0].requestHeaderModifier.set[0].name", twice+"route.filters[0].requestHeaderModifier.set[2]", invalid+"route.filters[0].requestHeaderModifier.set[2].value", twice+"route.filters[0].requestHeaderModifier.remove[1]"),
	"faulty response headers": filterCase(`{"type":"ResponseHeaderModifier","responseHeaderModifier":{"add":[{"name":"","value":"x"}]}}`, invalid+"route.filters[0].responseHeaderModifier.add[0].name"),
	"faulty mirror": filterCase(`{"type":"RequestMirror","requestMirror":{"backendRef":{"name":"s"},"percent":101,"fraction":{"numerator":2,"denominator":1}}}`,
		invalid+"route.filters[0].requestMirror.backendRef", invalid+"route.filters[0].requestMirror.percent", invalid+"route.filters[0].requestMirror", invalid+"route.filters[0].requestMirror.fraction"),
	"mirror of nothing": filterCase(`{"type":"RequestMirror","requestMirror":{"backendRef":{"name":"","kind":"_","port":1},"fraction":{"numerator":-1,"denominator":0}}}`,
		invalid+"route.filters[0].requestMirror.backendRef.name", invalid+"route.filters[0].requestMirror.backendRef.kind", invalid+"route.filters[0].requestMirror.fraction.numerator", invalid+"route.filters[0].requestMirror.fraction.denominator"),
	"faulty redirect": filterCase(`{"type":"RequestRedirect","requestRedirect":{"scheme":"ftp","hostname":"*.a","port":0,"statusCode":200,"path":{"type":"ReplaceFullPath"}}}`,
		forbids+"route.filters[0]", enum+"route.filters[0].requestRedirect.scheme", invalid+"route.filters[0].requestRedirect.hostname", invalid+"route.filters[0].requestRedirect.port", enum+"route.filters[0].requestRedirect.statusCode"),
	"faulty rewrite": filterCase(`{"type":"URLRewrite","urlRewrite":{"hostname":"_","path":{"type":"ReplacePrefixMatch","replaceFullPath":"/a"}}}`,
		invalid+"route.filters[0].urlRewrite.hostname", invalid+"route.filters[0].urlRewrite.path", invalid+"route.filters[0].urlRewrite.path"),
	"a rewrite beyond its bound, and no other fault of it": filterCase(`{"type":"URLRewrite","urlRewrite":{"hostname":"_","path":{"type":"ReplacePrefixMatch","replaceFullPath":"/`+long+long+`"}}}`,
		tooLong+"route.filters[0].urlRewrite.path.replaceFullPath"),
	"a redirect": filterCase(`{"type":"RequestRedirect","requestRedirect":{"scheme":"https"}}`, forbids+"route.filters[0]"),
	"a filter twice": filterCase(`{"type":"CORS","cors":{}},{"type":"RequestHeaderModifier","requestHeaderModifier":{}},{"type":"CORS","cors":{}},{"type":"CORS","cors":{}}`,
		invalid+"route.filters[2]", invalid+"route.filters[3]"),
	"mirrors and extensions":    filterCase(mirror + "," + mirror + "," + extension + "," + extension),
	"a prefix of an exact path": filterCase(rewrite, invalid+"route.filters[0].urlRewrite.path"),
	"a prefix of a parameter": {check: "filters", spec: `{"path":"/a/:b","methods":["GET","PUT"],"route":{"parentRefs":[{"name":"g"}],"pathMatch":"RegularExpression","filters":[` + rewrite + `]}}`,
		want: []string{invalid + "route.filters[0].urlRewrite.path"}},
	"a prefix of a prefix": {spec: `{"path":"/a/:b","methods":["GET","PUT"],"route":{"parentRefs":[{"name":"g"}],"pathMatch":"PathPrefix","filters":[` + rewrite + `]}}`},
	"a prefix of any rest": {spec: `{"path":"/a/*","methods":["GET","PUT"],"route":{"parentRefs":[{"name":"g"}],"filters":[` + rewrite + `]}}`},
	"faulty extension": filterCase(`{"type":"ExtensionRef","extensionRef":{"group":"_","kind":"_","name":""}}`,
		invalid+"route.filters[0].extensionRef.group", invalid+"route.filters[0].extensionRef.kind", invalid+"route.filters[0].extensionRef.name"),
	"faulty CORS": filterCase(`{"type":"CORS","cors":{"allowOrigins":["*","example.com"],"allowMethods":["*","get"],"allowHeaders":["*","a b"],"exposeHeaders":["X","X"],"maxAge":-1}}`,
		invalid+"route.filters[0].cors.allowOrigins", invalid+"route.filters[0].cors.allowOrigins[1]", invalid+"route.filters[0].cors.allowMethods", enum+"route.filters[0].cors.allowMethods[1]",
		invalid+"route.filters[0].cors.allowHeaders", invalid+"route.filters[0].cors.allowHeaders[1]", twice+"route.filters[0].cors.exposeHeaders[1]", invalid+"route.filters[0].cors.maxAge"),
}

const (
	mirror    = `{"type":"RequestMirror","requestMirror":{"backendRef":{"name":"s","port":80}}}`
	extension = `{"type":"ExtensionRef","extensionRef":{"group":"example.com","kind":"Limit","name":"a"}}`
	rewrite   = `{"type":"URLRewrite","urlRewrite":{"path":{"type":"ReplacePrefixMatch","replacePrefixMatch":"/b"}}}`
)

func parentsCase(parents string, want ...string) testCase {
	return routeCase("route", `{"parentRefs":[`+parents+`]}`, want)
}

func filterCase(filters string, want ...string) testCase {
	return routeCase("filters", `{"parentRefs":[{"name":"g"}],"filters":[`+filters+`]}`, want)
}

func routeCase(check, route string, want []string) testCase {
	if len(want) == 0 {
		check = ""
	}
	return testCase{check: check, spec: `{"route":` + route + `}`, want: want}
}
