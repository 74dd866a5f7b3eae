package naming

// Handler returns the name of a handler's Deployment, front Service and most of
// its other children.
func Handler(name string) string { return "handler-" + name }

// Workload returns the name of the Service that leads to one workload of a handler
// and to no other.
func Workload(handler, workload string) string { return Handler(handler) + "--" + workload }

// Deployment returns the name of the Deployment of one workload of a handler, and
// of what scales and protects it. main has that of the documents.
func Deployment(handler, workload string) string {
	if workload == "main" {
		return Handler(handler)
	}
	return Workload(handler, workload)
}

// Module returns the name of a module's children.
func Module(name string) string { return "module-" + name }

// Transformers returns the name of the optional ConfigMap that tells the runtime
// which transformers serve.
func Transformers(handler string) string { return Handler(handler) + "-transformers" }

// Record returns the name of a handler's automatic GatiVersion.
func Record(handler, version string) string { return handler + "-" + Slug(version, 1) }

// RecordBeside returns the name of a handler's automatic GatiVersion where another
// handler's record has the first: version v1.2 of a and version 2 of a-v1 both
// lead to a-v1-2.
func RecordBeside(handler, version string) string {
	return handler + "-" + hashed("", handler+"/"+version, MaxSlug)
}

// Hashed returns the name of a child whose content decides its name.
func Hashed(prefix, hash string) string { return prefix + "-" + hash[:8] }
