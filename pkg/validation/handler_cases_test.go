package validation

import "strings"

const (
	invalid  = "FieldValueInvalid spec."
	required = "FieldValueRequired spec."
	enum     = "FieldValueNotSupported spec."
	forbids  = "FieldValueForbidden spec."
	twice    = "FieldValueDuplicate spec."
	tooLong  = "FieldValueTooLong spec."
	tooMany  = "FieldValueTooMany spec."
)

var long = strings.Repeat("a", 600)

var handlerCases = map[string]testCase{
	"nothing but a path": {},
	"all of it": {spec: `{"path":"/users/:id/[part]/*","methods":["GET","POST"],"version":"v1.2.3-rc.1","image":"r.example.com:5000/a/b:v1","port":80,"replicas":0,
		"resources":{"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"1000m","example.com/gpu":"2"}},"env":[{"name":"HOST"},{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}},{"name":"M","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}},{"name":"L","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['a/b']"}}}],
		"envFrom":[{"prefix":"P_","secretRef":{"name":"s"}}],"healthCheck":{"type":"grpc","interval":"1m","timeout":"59s"},
		"autoscaling":{"enabled":true,"minReplicas":1,"maxReplicas":1,"behavior":{"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":1,"periodSeconds":15}]}}},
		"rollout":{"strategy":"RollingUpdate","steps":[{"weight":10,"pause":"1d2h"},{"weight":10},{"weight":100}]},"timescape":{"routingWeight":100},
		"route":{"parentRefs":[{"name":"g"}],"hostnames":["*.example.com"],"pathMatch":"RegularExpression","timeouts":{"request":"10s","backendRequest":"10s"},"filters":[{"type":"RequestHeaderModifier","requestHeaderModifier":{"set":[{"name":"X","value":"y"}]}}]},
		"versions":{"protectedTags":["a"]},"schema":{"input":{}},"modules":["db"],
		"pod":{"labels":{"a":"b"},"tolerations":[{"operator":"Exists"}],"volumes":[{"name":"v","secret":{"secretName":"s"}},{"name":"t","projected":{"sources":[{"serviceAccountToken":{"path":"token"}}]}}],"volumeMounts":[{"name":"v","mountPath":"/secrets"},{"name":"t","mountPath":"/tmp/token"}]}}`},
	"name with a capital":   {check: "name", name: "Abc", want: []string{"FieldValueInvalid metadata.name"}},
	"name with two hyphens": {check: "name", name: "a--b", want: []string{"FieldValueInvalid metadata.name"}},
	"name, a digit first":   {check: "name", name: "1a", want: []string{"FieldValueInvalid metadata.name"}},
	"name with a dot":       {check: "name", name: "a.b", want: []string{"FieldValueInvalid metadata.name"}},
	"name, a hyphen last":   {check: "name", name: "a-", want: []string{"FieldValueInvalid metadata.name"}},
	"name too long":         {check: "name", name: strings.Repeat("a", 41), want: []string{"FieldValueInvalid metadata.name"}},

	"no path":                 {check: "path", spec: `{"path":""}`, want: []string{required + "path"}},
	"path without a slash":    {check: "path", spec: `{"path":"users"}`, want: []string{invalid + "path"}},
	"path with a query":       {check: "path", spec: `{"path":"/a?b"}`, want: []string{invalid + "path"}},
	"path with a fragment":    {check: "path", spec: `{"path":"/a#b"}`, want: []string{invalid + "path"}},
	"path with a space":       {check: "path", spec: `{"path":"/a b"}`, want: []string{invalid + "path"}},
	"path, a whole URL":       {check: "path", spec: `{"path":"https://example.com/a"}`, want: []string{invalid + "path"}},
	"path, empty segment":     {check: "path", spec: `{"path":"/a//b"}`, want: []string{invalid + "path"}},
	"path, star inside":       {check: "path", spec: `{"path":"/a/*/b"}`, want: []string{invalid + "path"}},
	"path, half a parameter":  {check: "path", spec: `{"path":"/[a"}`, want: []string{invalid + "path"}},
	"path, one name twice":    {check: "path", spec: `{"path":"/:id/b/[id]"}`, want: []string{invalid + "path"}},
	"path, dots":              {check: "path", spec: `{"path":"/a/../b"}`, want: []string{invalid + "path"}},
	"path, bad escape":        {check: "path", spec: `{"path":"/a%zz"}`, want: []string{invalid + "path"}},
	"path, cut escape":        {check: "path", spec: `{"path":"/a%2"}`, want: []string{invalid + "path"}},
	"path, escaped slash":     {check: "path", spec: `{"path":"/a%2Fb"}`, want: []string{invalid + "path"}},
	"version of four numbers": {check: "version", spec: `{"version":"v1.2.3.4"}`, want: []string{invalid + "version"}},
	"version with a zero":     {check: "version", spec: `{"version":"v01.2"}`, want: []string{invalid + "version"}},
	"half a Timescape id":     {check: "version", spec: `{"version":"tsv:1732186200"}`, want: []string{invalid + "version"}},
	"version too long":        {check: "version", spec: `{"version":"v1-` + long + `"}`, want: []string{tooLong + "version"}},
	"image with a space":      {check: "image", spec: `{"image":"a b"}`, want: []string{invalid + "image"}},

	"negative request":              {check: "resources", spec: `{"resources":{"requests":{"cpu":"-1"}}}`, want: []string{invalid + "resources.requests[cpu]"}},
	"request above limit":           {check: "resources", spec: `{"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1500m"}}}`, want: []string{invalid + "resources.requests"}},
	"unknown resource":              {check: "resources", spec: `{"resources":{"limits":{"gpu":"1"}}}`, want: []string{invalid + "resources.limits[gpu]"}},
	"resource with a bad name":      {check: "resources", spec: `{"resources":{"limits":{"a/b/c":"1"}}}`, want: []string{invalid + "resources.limits[a/b/c]"}},
	"half a device":                 {check: "resources", spec: `{"resources":{"limits":{"a.b/c":"500m"}}}`, want: []string{invalid + "resources.limits[a.b/c]"}},
	"device requested, not limited": {check: "resources", spec: `{"resources":{"requests":{"a.b/c":"1"}}}`, want: []string{invalid + "resources.requests[a.b/c]"}},

	"check of a RollingUpdate":        {check: "checks", spec: `{"rollout":{"checks":[{"name":"a","when":"AfterPromotion","job":{}}]}}`, want: []string{invalid + "rollout.checks"}},
	"check before traffic, no route":  checkCase(`{"name":"a","when":"BeforeTraffic","job":{}}`, invalid+"rollout.checks"),
	"two checks of one name":          checkCase(`{"name":"a","when":"AfterPromotion","job":{}},{"name":"a","when":"AfterPromotion","job":{}}`, invalid+"rollout.checks"),
	"check without a name":            checkCase(`{"name":"","when":"AfterPromotion","job":{}}`, required+"rollout.checks[0].name"),
	"check with a capital":            checkCase(`{"name":"A","when":"AfterPromotion","job":{}}`, invalid+"rollout.checks[0].name"),
	"check at no step":                checkCase(`{"name":"a","when":"Step","job":{}}`, invalid+"rollout.checks[0].step"),
	"check at a step after promotion": checkCase(`{"name":"a","when":"AfterPromotion","step":1,"job":{}}`, invalid+"rollout.checks[0].step"),
	"check at the end":                checkCase(`{"name":"a","when":"Step","step":3,"job":{}}`, invalid+"rollout.checks[0].step"),
	"check with a variable of ours":   checkCase(`{"name":"a","when":"AfterPromotion","job":{"env":[{"name":"GATI_CHECK_URL","value":"x"}]}}`, invalid+"rollout.checks[0].job.env"),
	"check with a bad image":          checkCase(`{"name":"a","when":"AfterPromotion","job":{"image":"a b"}}`, invalid+"rollout.checks[0].job.image"),
	"check":                           checkCase(`{"name":"a","when":"Step","step":2,"timeout":"2m","job":{"command":["a"],"env":[{"name":"PORT","value":"1"}],"serviceAccountName":"s"}}`),

	"PORT":                   {check: "env", spec: `{"env":[{"name":"PORT","value":"1"}]}`, want: []string{invalid + "env"}},
	"variable without name":  {check: "env", spec: `{"env":[{"name":""}]}`, want: []string{required + "env[0].name"}},
	"variable with =":        {check: "env", spec: `{"env":[{"name":"A=B"}]}`, want: []string{invalid + "env[0].name"}},
	"value and source":       {check: "env", spec: `{"env":[{"name":"A","value":"1","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}`, want: []string{invalid + "env[0].valueFrom"}},
	"no source":              {check: "env", spec: `{"env":[{"name":"A","valueFrom":{}}]}`, want: []string{invalid + "env[0].valueFrom"}},
	"two sources":            {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"},"secretKeyRef":{"name":"s","key":"k"}}}]}`, want: []string{invalid + "env[0].valueFrom"}},
	"unknown pod field":      {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"spec.containers"}}}]}`, want: []string{enum + "env[0].valueFrom.fieldRef.fieldPath"}},
	"no pod field":           {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":""}}}]}`, want: []string{required + "env[0].valueFrom.fieldRef.fieldPath"}},
	"unknown amount":         {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"cpu"}}}]}`, want: []string{invalid + "env[0].valueFrom.resourceFieldRef.resource"}},
	"no amount":              {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":""}}}]}`, want: []string{required + "env[0].valueFrom.resourceFieldRef.resource"}},
	"odd divisor":            {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"7"}}}]}`, want: []string{invalid + "env"}},
	"reference without name": {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"configMapKeyRef":{"key":"k"}}}]}`, want: []string{required + "env[0].valueFrom.configMapKeyRef.name"}},
	"reference without key":  {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":""}}}]}`, want: []string{required + "env[0].valueFrom.secretKeyRef.key"}},
	"file of no container":   {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"fileKeyRef":{"volumeName":"v","path":"p","key":"k"}}}]}`, want: []string{forbids + "env[0].valueFrom.fileKeyRef"}},
	"no source of variables": {check: "envFrom", spec: `{"envFrom":[{}]}`, want: []string{invalid + "envFrom[0]"}},
	"two sources of them":    {check: "envFrom", spec: `{"envFrom":[{"secretRef":{"name":"s"},"configMapRef":{"name":"c"}}]}`, want: []string{invalid + "envFrom[0]"}},
	"source without name":    {check: "envFrom", spec: `{"envFrom":[{"secretRef":{}},{"configMapRef":{}}]}`, want: []string{required + "envFrom[0].secretRef.name", required + "envFrom[1].configMapRef.name"}},
	"bad prefix":             {check: "envFrom", spec: `{"envFrom":[{"prefix":"=","secretRef":{"name":"s"}}]}`, want: []string{invalid + "envFrom[0].prefix"}},

	"check without a slash":   {check: "healthCheck", spec: `{"healthCheck":{"path":"health"}}`, want: []string{invalid + "healthCheck.path"}},
	"no time":                 {check: "healthCheck", spec: `{"healthCheck":{"interval":"10"}}`, want: []string{invalid + "healthCheck.interval"}},
	"no length of time":       {check: "healthCheck", spec: `{"healthCheck":{"interval":"0s"}}`, want: []string{invalid + "healthCheck.interval"}},
	"time too long to read":   {check: "healthCheck", spec: `{"healthCheck":{"timeout":"` + strings.Repeat("1", 40) + `s"}}`, want: []string{tooLong + "healthCheck.timeout"}},
	"timeout above interval":  {check: "healthCheck", spec: `{"healthCheck":{"interval":"5s","timeout":"6s"}}`, want: []string{invalid + "healthCheck.timeout"}},
	"timeout above default":   {spec: `{"healthCheck":{"timeout":"11s"}}`},
	"default above interval":  {spec: `{"healthCheck":{"interval":"2s"}}`},
	"bounds crossed":          {check: "autoscaling", spec: `{"autoscaling":{"minReplicas":3,"maxReplicas":2}}`, want: []string{invalid + "autoscaling.minReplicas"}},
	"behavior without bounds": {check: "autoscaling", spec: `{"autoscaling":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":3601,"selectPolicy":"Any","tolerance":"-1","policies":[{"type":"Nodes","value":0,"periodSeconds":1801}]}}}}`, want: []string{invalid + "autoscaling.behavior.scaleDown.stabilizationWindowSeconds", enum + "autoscaling.behavior.scaleDown.selectPolicy", invalid + "autoscaling.behavior.scaleDown.tolerance", enum + "autoscaling.behavior.scaleDown.policies[0].type", invalid + "autoscaling.behavior.scaleDown.policies[0].value", invalid + "autoscaling.behavior.scaleDown.policies[0].periodSeconds"}},
	"steps that fall":         {check: "rollout", spec: `{"rollout":{"steps":[{"weight":50},{"weight":10}]}}`, want: []string{invalid + "rollout.steps[1].weight"}},
	"step out of bounds":      {check: "rollout", spec: `{"rollout":{"steps":[{"weight":101,"pause":"x"}]}}`, want: []string{invalid + "rollout.steps[0].weight", invalid + "rollout.steps[0].pause"}},
	"analysis, all of it": {spec: `{"rollout":{"analysis":{"interval":"10s","window":"1m","mode":"Step","failureLimit":1,"minSamples":1,"noData":"pass","metrics":[
		{"successRate":{"min":"99.5","baseline":{"within":"1"}}},{"latency":{"quantile":"0.999","max":"500ms","baseline":{"within":"100"}}},{"latency":{"max":"2s"}},
		{"query":{"name":"queue length","promQL":"sum(q{pod=~'{{pods}}'})","min":"-1.5","max":"10"}}]}}}`},
	"analysis by evidence":     {spec: `{"rollout":{"analysis":{"confidence":"99.9","detect":2,"inconclusive":"wait","dryRun":true,"metrics":[{"successRate":{"min":"99"}}]}}}`},
	"analysis of no evidence":  {check: "rollout", spec: `{"rollout":{"analysis":{"confidence":"49.9","detect":1,"inconclusive":"no","metrics":[{"successRate":{"min":"0.0"}}]}}}`, want: []string{invalid + "rollout.analysis.confidence", invalid + "rollout.analysis.detect", enum + "rollout.analysis.inconclusive", invalid + "rollout.analysis.metrics[0].successRate.min"}},
	"analysis of certainty":    {check: "rollout", spec: `{"rollout":{"analysis":{"confidence":"100","metrics":[{"successRate":{"min":"99"}}]}}}`, want: []string{invalid + "rollout.analysis.confidence"}},
	"analysis out of bounds":   {check: "rollout", spec: `{"rollout":{"analysis":{"interval":"x","window":"0s","mode":"Now","failureLimit":0,"minSamples":1000001,"noData":"no","metrics":[{"successRate":{"min":"99"}}]}}}`, want: []string{invalid + "rollout.analysis.interval", invalid + "rollout.analysis.window", enum + "rollout.analysis.mode", invalid + "rollout.analysis.failureLimit", invalid + "rollout.analysis.minSamples", enum + "rollout.analysis.noData"}},
	"too many metrics":         {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":` + many(9, `{"query":{"name":"a","promQL":"a","min":"1"}}`) + `}}}`, want: []string{tooMany + "rollout.analysis.metrics"}},
	"metric of nothing":        {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{}]}}}`, want: []string{invalid + "rollout.analysis.metrics[0]"}},
	"metric of two kinds":      {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{"successRate":{"min":"99"},"latency":{"max":"1s"}}]}}}`, want: []string{invalid + "rollout.analysis.metrics[0]"}},
	"the same metric twice":    {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{"latency":{"max":"1s"}},{"latency":{"max":"2s"}}]}}}`, want: []string{invalid + "rollout.analysis.metrics"}},
	"metrics without bounds":   {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{"successRate":{}},{"latency":{}},{"query":{"name":"a","promQL":"a"}}]}}}`, want: []string{invalid + "rollout.analysis.metrics[0].successRate", invalid + "rollout.analysis.metrics[1].latency", invalid + "rollout.analysis.metrics[2].query"}},
	"metrics of bad numbers":   {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{"successRate":{"min":"101","baseline":{"within":"x"}}},{"latency":{"quantile":"1","max":"1m","baseline":{}}},{"query":{"name":"a","promQL":"a","min":"1e3","max":"NaN"}}]}}}`, want: []string{invalid + "rollout.analysis.metrics[0].successRate.min", invalid + "rollout.analysis.metrics[0].successRate.baseline.within", invalid + "rollout.analysis.metrics[1].latency.quantile", invalid + "rollout.analysis.metrics[1].latency.max", required + "rollout.analysis.metrics[1].latency.baseline.within", invalid + "rollout.analysis.metrics[2].query.min", invalid + "rollout.analysis.metrics[2].query.max"}},
	"metrics of zero":          {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{"latency":{"quantile":"0.00","max":"00s"}}]}}}`, want: []string{invalid + "rollout.analysis.metrics[0].latency.quantile", invalid + "rollout.analysis.metrics[0].latency.max"}},
	"query without text":       {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{"query":{"name":"","promQL":" ","min":"1"}}]}}}`, want: []string{required + "rollout.analysis.metrics[0].query.name", invalid + "rollout.analysis.metrics[0].query.promQL"}},
	"query that is unreadable": {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{"query":{"name":"-","promQL":"a{b='{{pod}}'}","min":"2","max":"1"}}]}}}`, want: []string{invalid + "rollout.analysis.metrics[0].query.name", invalid + "rollout.analysis.metrics[0].query.promQL", invalid + "rollout.analysis.metrics[0].query.min"}},
	"texts that are too long":  {check: "rollout", spec: `{"rollout":{"analysis":{"metrics":[{"successRate":{"min":"` + long + `"}},{"latency":{"quantile":"` + long + `","max":"` + long + `"}},{"query":{"name":"` + long + `","promQL":"` + strings.Repeat("a", 2049) + `","min":"` + long + `"}}]}}}`, want: []string{tooLong + "rollout.analysis.metrics[0].successRate.min", tooLong + "rollout.analysis.metrics[1].latency.quantile", tooLong + "rollout.analysis.metrics[1].latency.max", tooLong + "rollout.analysis.metrics[2].query.name", tooLong + "rollout.analysis.metrics[2].query.promQL", tooLong + "rollout.analysis.metrics[2].query.min"}},
	"Manual and autoscaling":   {check: "strategy", spec: `{"rollout":{"strategy":"Manual"},"autoscaling":{"enabled":true}}`, want: []string{invalid + "rollout.strategy"}},
	"contract of no version":   {check: "contract", spec: `{"contract":"latest"}`, want: []string{invalid + "contract"}},
	"policy out of bounds":     {check: "versions", spec: `{"versions":{"compatibility":"SOME","coldAfter":"1w","minActive":0,"minAge":"m","historyLimit":101,"drain":{"window":"s","deadline":"0m"}}}`, want: []string{enum + "versions.compatibility", invalid + "versions.coldAfter", invalid + "versions.minActive", invalid + "versions.minAge", invalid + "versions.historyLimit", invalid + "versions.drain.window", invalid + "versions.drain.deadline"}},
	"tags":                     {check: "versions", spec: `{"versions":{"protectedTags":["A","1","a","a"]}}`, want: []string{invalid + "versions.protectedTags[0]", invalid + "versions.protectedTags[1]", twice + "versions.protectedTags[3]"}},
	"schema that is no object": {check: "schema", spec: `{"schema":{"input":[],"output":"x"}}`, want: []string{"FieldValueTypeInvalid spec.schema.input", "FieldValueTypeInvalid spec.schema.output"}},
	"names of modules":         {check: "modules", spec: `{"modules":["A","a","a",""]}`, want: []string{invalid + "modules[0]", twice + "modules[2]", invalid + "modules[3]"}},
}

// checkCase is a Canary of two steps with checks.
func checkCase(checks string, want ...string) testCase {
	check := "checks"
	if len(want) == 0 {
		check = ""
	}
	return testCase{check: check, spec: `{"rollout":{"strategy":"Canary","checks":[` + checks + `]}}`, want: want}
}
