package validation

import "strings"

var moduleCases = map[string]testCase{
	"nothing but a type": {},
	"all of it": {spec: `{"type":"wasm","moduleName":"database","runtime":"wasmtime","image":"m:v1","config":{"A_b":"x"},"capabilities":["network","storage","secrets:read"],
		"healthCheck":{"type":"http","path":"/h"},"pod":{"volumes":[{"name":"v","emptyDir":{}}],"volumeMounts":[{"name":"v","mountPath":"/v"}]}}`},
	"name":                    {check: "name", name: "1a", want: []string{"FieldValueInvalid metadata.name"}},
	"no type":                 {check: "type", spec: `{"type":""}`, want: []string{enum + "type"}},
	"unknown type":            {check: "type", spec: `{"type":"vm"}`, want: []string{enum + "type"}},
	"long name of the module": {check: "moduleName", spec: `{"moduleName":"` + long + `"}`, want: []string{tooLong + "moduleName"}},
	"long runtime":            {check: "runtime", spec: `{"runtime":"` + long + `"}`, want: []string{tooLong + "runtime"}},
	"image":                   {check: "image", spec: `{"image":"-"}`, want: []string{invalid + "image"}},
	"port":                    {check: "port", spec: `{"port":-1}`, want: []string{invalid + "port"}},
	"replicas":                {check: "replicas", spec: `{"replicas":10001}`, want: []string{invalid + "replicas"}},
	"resources":               {check: "resources", spec: `{"resources":{"requests":{"memory":"2Gi"},"limits":{"memory":"1Gi"}}}`, want: []string{invalid + "resources.requests"}},
	"env":                     {check: "env", spec: `{"env":[{"name":"PORT"}]}`, want: []string{invalid + "env"}},
	"config":                  {check: "config", spec: `{"config":{"a-b":"x","1":"y"}}`, want: []string{invalid + "config"}},
	"too much config":         {check: "config", spec: `{"config":` + manyKeys(201, `"x"`) + `}`, want: []string{tooMany + "config"}},
	"a capability of Linux":   {check: "capabilities", spec: `{"capabilities":["NET_ADMIN"]}`, want: []string{invalid + "capabilities[0]"}},
	"a capability twice":      {check: "capabilities", spec: `{"capabilities":["network","network"]}`, want: []string{twice + "capabilities[1]"}},
	"a long capability":       {check: "capabilities", spec: `{"capabilities":["` + strings.Repeat("a", 65) + `"]}`, want: []string{tooLong + "capabilities[0]", invalid + "capabilities[0]"}},
	"autoscaling":             {check: "autoscaling", spec: `{"autoscaling":{"maxReplicas":30001}}`, want: []string{invalid + "autoscaling.maxReplicas"}},
	"healthCheck":             {check: "healthCheck", spec: `{"healthCheck":{"type":"ping","timeout":"1h"}}`, want: []string{enum + "healthCheck.type", invalid + "healthCheck.timeout"}},
	"pod":                     {check: "pod", spec: `{"pod":{"runAsUser":0}}`, want: []string{invalid + "pod.runAsUser"}},
	"scheduling":              {check: "scheduling", spec: `{"pod":{"tolerations":[{}]}}`, want: []string{invalid + "pod.tolerations[0].operator"}},
	"volumes":                 {check: "volumes", spec: `{"pod":{"volumes":[{"name":"v"}]}}`, want: []string{invalid + "pod.volumes[0]"}},
	"volumeMounts":            {check: "volumeMounts", spec: `{"pod":{"volumeMounts":[{"name":"v","mountPath":"/v"}]}}`, want: []string{invalid + "pod.volumeMounts[0].name"}},
}

const immutableOld = `{"handler":"a","version":"v1","timestamp":"2025-11-22T10:00:00Z","transformers":[{"name":"a"}],"schema":{"input":{"a":1,"b":2}}}`

var versionCases = map[string]testCase{
	"nothing": {},
	"all of it": {spec: `{"handler":"users","version":"tsv:1732186200-users-001","timestamp":"2025-11-22T10:00:00Z","active":true,"traffic":100,"transformers":[{"name":"a"},{"from":"v1","to":"v2","request":"f"},{"from":"v2","to":"v1"}],
		"tags":["stable","v1.0"],"keep":true,"schema":{"input":{}},"deploymentName":"handler-users","serviceName":"handler-users"}`},
	"handler":                    {check: "handler", spec: `{"handler":"a--b"}`, want: []string{invalid + "handler"}},
	"handler too long":           {check: "handler", spec: `{"handler":"` + strings.Repeat("a", 41) + `"}`, want: []string{tooLong + "handler"}},
	"version":                    {check: "version", spec: `{"version":"latest"}`, want: []string{invalid + "version"}},
	"traffic":                    {check: "traffic", spec: `{"traffic":-1}`, want: []string{invalid + "traffic"}},
	"transformer of nothing":     {check: "transformers", spec: `{"transformers":[{}]}`, want: []string{invalid + "transformers[0]"}},
	"transformer of both":        {check: "transformers", spec: `{"transformers":[{"name":"a","from":"v1","to":"v2"}]}`, want: []string{invalid + "transformers[0]"}},
	"transformer of a half":      {check: "transformers", spec: `{"transformers":[{"from":"v1"},{"name":"a","to":"v1"}]}`, want: []string{invalid + "transformers[0]", invalid + "transformers[1]"}},
	"transformer to itself":      {check: "transformers", spec: `{"transformers":[{"from":"v1","to":"v1"}]}`, want: []string{invalid + "transformers[0].to"}},
	"transformer twice":          {check: "transformers", spec: `{"transformers":[{"from":"v1","to":"v2"},{"from":"v1","to":"v2"}]}`, want: []string{twice + "transformers[1]"}},
	"transformer of no version":  {check: "transformers", spec: `{"transformers":[{"from":"x","to":"y"}]}`, want: []string{invalid + "transformers[0].from", invalid + "transformers[0].to"}},
	"long texts of transformers": {check: "transformers", spec: `{"transformers":[{"name":"` + long + `","request":"` + long + `","response":"` + long + `"}]}`, want: []string{tooLong + "transformers[0].name", tooLong + "transformers[0].request", tooLong + "transformers[0].response"}},
	"too many transformers":      {check: "transformers", spec: `{"transformers":` + many(65, `{"name":"#"}`) + `}`, want: []string{tooMany + "transformers"}},
	"tags":                       {check: "tags", spec: `{"tags":["123","-a"]}`, want: []string{invalid + "tags[0]", invalid + "tags[1]"}},
	"schema":                     {check: "schema", spec: `{"schema":{"output":1}}`, want: []string{"FieldValueTypeInvalid spec.schema.output"}},
	"deploymentName":             {check: "deploymentName", spec: `{"deploymentName":"A"}`, want: []string{invalid + "deploymentName"}},
	"deploymentName too long":    {check: "deploymentName", spec: `{"deploymentName":"` + long + `"}`, want: []string{tooLong + "deploymentName"}},
	"serviceName":                {check: "serviceName", spec: `{"serviceName":"1a"}`, want: []string{invalid + "serviceName"}},
	"serviceName too long":       {check: "serviceName", spec: `{"serviceName":"` + strings.Repeat("a", 64) + `"}`, want: []string{tooLong + "serviceName"}},

	"nothing changed":           {old: immutableOld, spec: immutableOld},
	"written otherwise":         {old: immutableOld, spec: `{"handler":"a","version":"v1","timestamp":"2025-11-22T10:00:00Z","transformers":[{"name":"a"}],"schema":{"input":{"b":2, "a":1}}}`},
	"set once":                  {old: `{"transformers":[]}`, spec: `{"handler":"a","version":"v1","timestamp":"2025-11-22T10:00:00Z","transformers":[{"name":"a"}],"schema":{"input":{}},"deploymentName":"d","serviceName":"s"}`},
	"all removed":               {check: "immutable", old: immutableOld, spec: `{}`, want: []string{invalid + "handler", invalid + "version", invalid + "timestamp", invalid + "transformers", invalid + "schema.input"}},
	"all changed":               {check: "immutable", old: immutableOld, spec: `{"handler":"b","version":"v2","timestamp":"2025-11-22T10:00:01Z","transformers":[{"name":"b"}],"schema":{"input":{"a":1}}}`, want: []string{invalid + "handler", invalid + "version", invalid + "timestamp", invalid + "transformers", invalid + "schema.input"}},
	"second half of the schema": {old: immutableOld, spec: `{"handler":"a","version":"v1","timestamp":"2025-11-22T10:00:00Z","transformers":[{"name":"a"}],"schema":{"input":{"a":1,"b":2},"output":{}}}`},
	"output changed":            {check: "immutable", old: `{"schema":{"output":{"a":9007199254740993}}}`, spec: `{"schema":{"output":{"a":9007199254740992}}}`, want: []string{invalid + "schema.output"}},
}
