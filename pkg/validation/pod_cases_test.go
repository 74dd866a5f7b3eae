package validation

import "maps"

func init() {
	maps.Copy(handlerCases, podCases)
	maps.Copy(handlerCases, containerCases)
}

const badID = `"runAsUser":0,"runAsGroup":0,"fsGroup":0,"terminationGracePeriodSeconds":9`

var podCases = map[string]testCase{
	"labels of ours":        podCase("pod", `"labels":{"gati.dev/handler":"x"}`, invalid+"pod.labels"),
	"labels of Kubernetes'": podCase("pod", `"labels":{"app.kubernetes.io/name":"x"}`, invalid+"pod.labels"),
	"annotations of ours":   podCase("pod", `"annotations":{"gati.dev/plan":"x"}`, invalid+"pod.annotations"),
	"faulty label":          podCase("pod", `"labels":{"a b":"x","c":"d e"}`, invalid+"pod.labels", invalid+"pod.labels"),
	"faulty annotation":     podCase("pod", `"annotations":{"a b":"x"}`, invalid+"pod.annotations"),
	"root":                  podCase("pod", badID, invalid+"pod.runAsUser", invalid+"pod.runAsGroup", invalid+"pod.fsGroup", invalid+"pod.terminationGracePeriodSeconds"),
	"faulty names": podCase("pod", `"serviceAccountName":"A","priorityClassName":"A","schedulerName":"A","imagePullPolicy":"Sometimes","imagePullSecrets":[{"name":"a"},{"name":"a"},{"name":""}]`,
		invalid+"pod.serviceAccountName", invalid+"pod.priorityClassName", invalid+"pod.schedulerName", enum+"pod.imagePullPolicy", twice+"pod.imagePullSecrets[1]", required+"pod.imagePullSecrets[2].name"),
	"too many labels": podCase("pod", `"labels":`+manyKeys(65, `"x"`), tooMany+"pod.labels"),

	"faulty tolerations": podCase("scheduling", `"tolerations":[{"operator":"Equal"},{"key":"a","operator":"Like"},{"key":"a","effect":"Never"},{"key":"a","operator":"Exists","value":"b"},{"key":"a","tolerationSeconds":1},{"key":"a b"}]`,
		invalid+"pod.tolerations[0].operator", enum+"pod.tolerations[1].operator", enum+"pod.tolerations[2].effect", invalid+"pod.tolerations[3].value", invalid+"pod.tolerations[4].effect", invalid+"pod.tolerations[5].key"),
	"faulty spread": podCase("scheduling", `"topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"","whenUnsatisfiable":"Never"}]`,
		invalid+"pod.topologySpreadConstraints[0].maxSkew", required+"pod.topologySpreadConstraints[0].topologyKey", enum+"pod.topologySpreadConstraints[0].whenUnsatisfiable"),
	"faulty node label": podCase("scheduling", `"nodeSelector":{"a b":"c"}`, invalid+"pod.nodeSelector"),

	"volume without source": podCase("volumes", `"volumes":[{"name":"v"}]`, invalid+"pod.volumes[0]"),
	"volume of two":         podCase("volumes", `"volumes":[{"name":"v","emptyDir":{},"secret":{"secretName":"s"}}]`, invalid+"pod.volumes[0]"),
	"volume names":          podCase("volumes", `"volumes":[{"name":"gati-tmp","emptyDir":{}},{"name":"A","emptyDir":{}},{"name":"b","emptyDir":{}},{"name":"b","emptyDir":{}}]`, invalid+"pod.volumes[0].name", invalid+"pod.volumes[1].name", twice+"pod.volumes[3]"),
	"volumes of nothing": podCase("volumes", `"volumes":[{"name":"a","configMap":{}},{"name":"b","secret":{}},{"name":"c","persistentVolumeClaim":{"claimName":""}},{"name":"d","emptyDir":{"medium":"Disk","sizeLimit":"-1"}}]`,
		required+"pod.volumes[0].configMap.name", required+"pod.volumes[1].secret.secretName", required+"pod.volumes[2].persistentVolumeClaim.claimName", enum+"pod.volumes[3].emptyDir.medium", invalid+"pod.volumes[3].emptyDir.sizeLimit"),
	"files outside": podCase("volumes", `"volumes":[{"name":"a","configMap":{"name":"c","items":[{"key":"","path":"../x"},{"key":"k","path":"/x","mode":512}]}}]`,
		required+"pod.volumes[0].configMap.items[0].key", invalid+"pod.volumes[0].configMap.items[0].path", invalid+"pod.volumes[0].configMap.items[1].path", invalid+"pod.volumes[0].configMap.items[1].mode"),
	"faulty projection": podCase("volumes", `"volumes":[{"name":"a","projected":{"sources":[{},{"serviceAccountToken":{"path":"","expirationSeconds":1}},{"secret":{}},{"configMap":{}},{"clusterTrustBundle":{"path":"/x"}},{"downwardAPI":{"items":[{"path":"x"}]}}]}}]`,
		invalid+"pod.volumes[0].projected.sources[0]", required+"pod.volumes[0].projected.sources[1].serviceAccountToken.path", invalid+"pod.volumes[0].projected.sources[1].serviceAccountToken.expirationSeconds",
		required+"pod.volumes[0].projected.sources[2].secret.name", required+"pod.volumes[0].projected.sources[3].configMap.name", invalid+"pod.volumes[0].projected.sources[4].clusterTrustBundle.path", invalid+"pod.volumes[0].projected.sources[5].downwardAPI.items[0]"),
	"faulty downward file": podCase("volumes", `"volumes":[{"name":"a","downwardAPI":{"items":[{"path":"a","fieldRef":{"fieldPath":"status.podIP"}},{"path":"b","resourceFieldRef":{"resource":"limits.cpu","divisor":"3"}}]}}]`,
		enum+"pod.volumes[0].downwardAPI.items[0].fieldRef.fieldPath", invalid+"pod.volumes[0].downwardAPI.items[1].resourceFieldRef.divisor"),

	"mount of nothing": podCase("volumeMounts", `"volumeMounts":[{"name":"v","mountPath":"/v"}]`, invalid+"pod.volumeMounts[0].name"),
	"reserved mounts": podCase("volumeMounts", `"volumes":[{"name":"v","emptyDir":{}}],"volumeMounts":[{"name":"v","mountPath":"/tmp/"},{"name":"v","mountPath":"/app/.gati"},{"name":"v","mountPath":"/etc/gati/x"},{"name":"v","mountPath":"/"}]`,
		invalid+"pod.volumeMounts[0].mountPath", invalid+"pod.volumeMounts[1].mountPath", invalid+"pod.volumeMounts[2].mountPath", invalid+"pod.volumeMounts[3].mountPath"),
	"faulty mounts": podCase("volumeMounts", `"volumes":[{"name":"v","emptyDir":{}}],"volumeMounts":[{"name":"v","mountPath":"a"},{"name":"v","mountPath":"/a:b"},{"name":"v","mountPath":""},{"name":"v","mountPath":"/c","subPath":"../x"},{"name":"v","mountPath":"/c"},{"name":"","mountPath":"/d"}]`,
		invalid+"pod.volumeMounts[0].mountPath", invalid+"pod.volumeMounts[1].mountPath", required+"pod.volumeMounts[2].mountPath", invalid+"pod.volumeMounts[3].subPath", twice+"pod.volumeMounts[4]", invalid+"pod.volumeMounts[5].name"),
}

var containerCases = map[string]testCase{
	"containers without names": podCase("containers", `"initContainers":[{"name":"A"},{"name":"gati-a"},{"name":"handler"}],"sidecars":[{"name":"a_b"},{"name":"module"}]`,
		invalid+"pod.initContainers[0].name", invalid+"pod.initContainers[1].name", invalid+"pod.initContainers[2].name", invalid+"pod.sidecars[0].name", invalid+"pod.sidecars[1].name"),
	"one name for two containers": podCase("containers", `"initContainers":[{"name":"a"}],"sidecars":[{"name":"a"}]`, invalid+"pod.sidecars"),
	"faulty programs": podCase("containers", `"initContainers":[{"name":"a","image":"a b","env":[{"name":"="}],"resources":{"limits":{"cpu":"-1"}}}],"sidecars":[{"name":"b","envFrom":[{}]}]`,
		invalid+"pod.initContainers[0].image", invalid+"pod.initContainers[0].env[0].name", invalid+"pod.initContainers[0].resources.limits[cpu]", invalid+"pod.sidecars[0].envFrom[0]"),
	"faulty mounts beside": podCase("containers", `"volumes":[{"name":"v","emptyDir":{}}],"initContainers":[{"name":"a","volumeMounts":[{"name":"none","mountPath":"/a"},{"name":"v","mountPath":"/"}]}],"sidecars":[{"name":"b","volumeMounts":[{"name":"v","mountPath":"/b","subPath":"../c"}]}]`,
		invalid+"pod.initContainers[0].volumeMounts[0].name", invalid+"pod.initContainers[0].volumeMounts[1].mountPath", invalid+"pod.sidecars[0].volumeMounts[0].subPath"),
	"its own /tmp": {spec: `{"pod":{"volumes":[{"name":"v","emptyDir":{}}],"sidecars":[{"name":"a","volumeMounts":[{"name":"v","mountPath":"/tmp"}]}]}}`},
	"a taken port": podCase("containers", `"sidecars":[{"name":"a","ports":[{"containerPort":3000},{"containerPort":3000,"protocol":"UDP"},{"name":"http","containerPort":81}]},{"name":"b","ports":[{"name":"http","containerPort":81},{"name":"1","containerPort":82}]}]`,
		invalid+"pod.sidecars[0].ports[0].containerPort", invalid+"pod.sidecars[1].ports[0].containerPort", twice+"pod.sidecars[1].ports[0].name", invalid+"pod.sidecars[1].ports[1].name"),
	"faulty probes": podCase("containers", `"sidecars":[{"name":"a","startupProbe":{},"readinessProbe":{"tcpSocket":{"port":1},"grpc":{"port":1},"successThreshold":2},"livenessProbe":{"httpGet":{"path":"a","port":1},"successThreshold":2}}]`,
		invalid+"pod.sidecars[0].startupProbe", invalid+"pod.sidecars[0].readinessProbe", invalid+"pod.sidecars[0].livenessProbe.httpGet.path", invalid+"pod.sidecars[0].livenessProbe.successThreshold"),
}

func podCase(check, settings string, want ...string) testCase {
	return testCase{check: check, spec: `{"pod":{` + settings + `}}`, want: want}
}
