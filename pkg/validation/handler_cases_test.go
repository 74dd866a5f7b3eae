package validation

import "strings"

const (
	invalid  = "FieldValueInvalid spec."
	required = "FieldValueRequired spec."
	enum     = "FieldValueNotSupported spec."
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
	"name too long":         {check: "name", name: strings.Repeat("a", 41), want: []string{"FieldValueInvalid metadata.name"}},

	"no path":                 {check: "path", spec: `{"path":""}`, want: []string{required + "path"}},
	"path without a slash":    {check: "path", spec: `{"path":"users"}`, want: []string{invalid + "path"}},
	"path with a query":       {check: "path", spec: `{"path":"/a?b"}`, want: []string{invalid + "path"}},
	"path, empty segment":     {check: "path", spec: `{"path":"/a//b"}`, want: []string{invalid + "path"}},
	"path, star inside":       {check: "path", spec: `{"path":"/a/*/b"}`, want: []string{invalid + "path"}},
	"path, half a parameter":  {check: "path", spec: `{"path":"/[a"}`, want: []string{invalid + "path"}},
	"path, one name twice":    {check: "path", spec: `{"path":"/:id/b/[id]"}`, want: []string{invalid + "path"}},
	"path, dots":              {check: "path", spec: `{"path":"/a/../b"}`, want: []string{invalid + "path"}},
	"path, bad escape":        {check: "path", spec: `{"path":"/a%zz"}`, want: []string{invalid + "path"}},
	"path, cut escape":        {check: "path", spec: `{"path":"/a%2"}`, want: []string{invalid + "path"}},
	"path, escaped slash":     {check: "path", spec: `{"path":"/a%2Fb"}`, want: []string{invalid + "path"}},
	"path too long":           {check: "path", spec: `{"path":"/` + long + `"}`, want: []string{tooLong + "path"}},
	"unknown method":          {check: "methods", spec: `{"methods":["get"]}`, want: []string{enum + "methods[0]"}},
	"method twice":            {check: "methods", spec: `{"methods":["GET","GET"]}`, want: []string{twice + "methods[1]"}},
	"version of four numbers": {check: "version", spec: `{"version":"v1.2.3.4"}`, want: []string{invalid + "version"}},
	"version too long":        {check: "version", spec: `{"version":"v1-` + long + `"}`, want: []string{tooLong + "version"}},
	"image with a space":      {check: "image", spec: `{"image":"a b"}`, want: []string{invalid + "image"}},
	"image too long":          {check: "image", spec: `{"image":"` + long + `"}`, want: []string{tooLong + "image"}},
	"port zero":               {check: "port", spec: `{"port":0}`, want: []string{invalid + "port"}},
	"port too high":           {check: "port", spec: `{"port":65536}`, want: []string{invalid + "port"}},
	"negative replicas":       {check: "replicas", spec: `{"replicas":-1}`, want: []string{invalid + "replicas"}},

	"negative request":              {check: "resources", spec: `{"resources":{"requests":{"cpu":"-1"}}}`, want: []string{invalid + "resources.requests[cpu]"}},
	"request above limit":           {check: "resources", spec: `{"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1500m"}}}`, want: []string{invalid + "resources.requests"}},
	"unknown resource":              {check: "resources", spec: `{"resources":{"limits":{"gpu":"1"}}}`, want: []string{invalid + "resources.limits[gpu]"}},
	"resource with a bad name":      {check: "resources", spec: `{"resources":{"limits":{"a/b/c":"1"}}}`, want: []string{invalid + "resources.limits[a/b/c]"}},
	"half a device":                 {check: "resources", spec: `{"resources":{"limits":{"a.b/c":"500m"}}}`, want: []string{invalid + "resources.limits[a.b/c]"}},
	"device requested, not limited": {check: "resources", spec: `{"resources":{"requests":{"a.b/c":"1"}}}`, want: []string{invalid + "resources.requests[a.b/c]"}},

	"PORT":                   {check: "env", spec: `{"env":[{"name":"PORT","value":"1"}]}`, want: []string{invalid + "env"}},
	"variable twice":         {check: "env", spec: `{"env":[{"name":"A"},{"name":"A"}]}`, want: []string{twice + "env[1]"}},
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
	"file of no container":   {check: "env", spec: `{"env":[{"name":"A","valueFrom":{"fileKeyRef":{"volumeName":"v","path":"p","key":"k"}}}]}`, want: []string{"FieldValueForbidden spec.env[0].valueFrom.fileKeyRef"}},
	"too many variables":     {check: "env", spec: `{"env":` + many(201, `{"name":"#"}`) + `}`, want: []string{tooMany + "env"}},
	"no source of variables": {check: "envFrom", spec: `{"envFrom":[{}]}`, want: []string{invalid + "envFrom[0]"}},
	"two sources of them":    {check: "envFrom", spec: `{"envFrom":[{"secretRef":{"name":"s"},"configMapRef":{"name":"c"}}]}`, want: []string{invalid + "envFrom[0]"}},
	"source without name":    {check: "envFrom", spec: `{"envFrom":[{"secretRef":{}},{"configMapRef":{}}]}`, want: []string{required + "envFrom[0].secretRef.name", required + "envFrom[1].configMapRef.name"}},
	"bad prefix":             {check: "envFrom", spec: `{"envFrom":[{"prefix":"=","secretRef":{"name":"s"}}]}`, want: []string{invalid + "envFrom[0].prefix"}},

	"unknown kind of check":    {check: "healthCheck", spec: `{"healthCheck":{"type":"exec"}}`, want: []string{enum + "healthCheck.type"}},
	"check without a slash":    {check: "healthCheck", spec: `{"healthCheck":{"path":"health"}}`, want: []string{invalid + "healthCheck.path"}},
	"no time":                  {check: "healthCheck", spec: `{"healthCheck":{"interval":"10"}}`, want: []string{invalid + "healthCheck.interval"}},
	"no length of time":        {check: "healthCheck", spec: `{"healthCheck":{"interval":"0s"}}`, want: []string{invalid + "healthCheck.interval"}},
	"time too long to read":    {check: "healthCheck", spec: `{"healthCheck":{"timeout":"` + strings.Repeat("1", 40) + `s"}}`, want: []string{tooLong + "healthCheck.timeout"}},
	"timeout above default":    {check: "healthCheck", spec: `{"healthCheck":{"timeout":"11s"}}`, want: []string{invalid + "healthCheck.timeout"}},
	"default above interval":   {check: "healthCheck", spec: `{"healthCheck":{"interval":"2s"}}`, want: []string{invalid + "healthCheck.timeout"}},
	"too many failures":        {check: "healthCheck", spec: `{"healthCheck":{"failureThreshold":101}}`, want: []string{invalid + "healthCheck.failureThreshold"}},
	"bounds crossed":           {check: "autoscaling", spec: `{"autoscaling":{"minReplicas":3,"maxReplicas":2}}`, want: []string{invalid + "autoscaling.minReplicas"}},
	"bounds at zero":           {check: "autoscaling", spec: `{"autoscaling":{"minReplicas":0,"maxReplicas":0,"targetCPU":0,"targetMemory":1001}}`, want: []string{invalid + "autoscaling.minReplicas", invalid + "autoscaling.maxReplicas", invalid + "autoscaling.targetCPU", invalid + "autoscaling.targetMemory"}},
	"behavior without bounds":  {check: "autoscaling", spec: `{"autoscaling":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":3601,"selectPolicy":"Any","tolerance":"-1","policies":[{"type":"Nodes","value":0,"periodSeconds":1801}]}}}}`, want: []string{invalid + "autoscaling.behavior.scaleDown.stabilizationWindowSeconds", enum + "autoscaling.behavior.scaleDown.selectPolicy", invalid + "autoscaling.behavior.scaleDown.tolerance", enum + "autoscaling.behavior.scaleDown.policies[0].type", invalid + "autoscaling.behavior.scaleDown.policies[0].value", invalid + "autoscaling.behavior.scaleDown.policies[0].periodSeconds"}},
	"unknown strategy":         {check: "rollout", spec: `{"rollout":{"strategy":"BlueGreen"}}`, want: []string{enum + "rollout.strategy"}},
	"steps that fall":          {check: "rollout", spec: `{"rollout":{"steps":[{"weight":50},{"weight":10}]}}`, want: []string{invalid + "rollout.steps[1].weight"}},
	"step out of bounds":       {check: "rollout", spec: `{"rollout":{"steps":[{"weight":101,"pause":"x"}]}}`, want: []string{invalid + "rollout.steps[0].weight", invalid + "rollout.steps[0].pause"}},
	"too many steps":           {check: "rollout", spec: `{"rollout":{"steps":` + many(21, `{"weight":1}`) + `}}`, want: []string{tooMany + "rollout.steps"}},
	"Canary":                   {check: "strategy", spec: `{"rollout":{"strategy":"Canary"}}`, want: []string{enum + "rollout.strategy"}},
	"Manual":                   {check: "strategy", spec: `{"rollout":{"strategy":"Manual"}}`, want: []string{enum + "rollout.strategy"}},
	"weight out of bounds":     {check: "timescape", spec: `{"timescape":{"routingWeight":101}}`, want: []string{invalid + "timescape.routingWeight"}},
	"policy out of bounds":     {check: "versions", spec: `{"versions":{"compatibility":"SOME","coldAfter":"1w","minActive":0,"minAge":"m","historyLimit":101,"drain":{"window":"s","deadline":"0m"}}}`, want: []string{enum + "versions.compatibility", invalid + "versions.coldAfter", invalid + "versions.minActive", invalid + "versions.minAge", invalid + "versions.historyLimit", invalid + "versions.drain.window", invalid + "versions.drain.deadline"}},
	"tags":                     {check: "versions", spec: `{"versions":{"protectedTags":["A","1","a","a"]}}`, want: []string{invalid + "versions.protectedTags[0]", invalid + "versions.protectedTags[1]", twice + "versions.protectedTags[3]"}},
	"schema that is no object": {check: "schema", spec: `{"schema":{"input":[],"output":"x"}}`, want: []string{"FieldValueTypeInvalid spec.schema.input", "FieldValueTypeInvalid spec.schema.output"}},
	"names of modules":         {check: "modules", spec: `{"modules":["A","a","a",""]}`, want: []string{invalid + "modules[0]", twice + "modules[2]", invalid + "modules[3]"}},
}
