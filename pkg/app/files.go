package app

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Options are what a folder does not say.
type Options struct {
	// Image is the name of the image, Gateway and Hostname the place of its routes; a
	// handler without a gateway has a Service alone.
	Image, Gateway, Hostname string
	// PerRoute gives each route a handler, and so versions of its own.
	PerRoute bool
}

// Files returns the files by their paths in the folder.
func Files(a Application, o Options) map[string]string {
	files := map[string]string{
		"Dockerfile":    dockerfile(a),
		".dockerignore": "node_modules\ndist\n.git\n.env*\nk8s\n",
	}
	names := []string{}
	for _, h := range handlersFor(a, o) {
		name := h.name + ".yaml"
		files["k8s/"+name] = h.manifest(a, o)
		names = append(names, name)
	}
	files["k8s/kustomization.yaml"] = kustomization(a, names)
	return files
}

// managers are the commands that install the dependencies and remove those of
// development. Only npm works without its lock file, so no other is found without.
var managers = map[string]struct{ install, prune string }{
	"npm":  {"npm ci --no-audit --no-fund", "npm prune --omit=dev --ignore-scripts"},
	"pnpm": {"corepack enable && pnpm install --frozen-lockfile", "pnpm prune --prod --ignore-scripts"},
	"yarn": {"corepack enable && YARN_NODE_LINKER=node-modules yarn install", "npm prune --omit=dev --ignore-scripts --no-package-lock"},
}

func dockerfile(a Application) string {
	manager := managers[a.Manager]
	if !a.Locked {
		manager.install = "npm install --no-audit --no-fund"
	}
	rewrite := rewriteManifest(a.Production)
	if rewrite != "" {
		manager.install = strings.NewReplacer("npm ci", "npm install", "--frozen-lockfile", "--no-frozen-lockfile").Replace(manager.install)
	}
	compile, code := "", "src ./src"
	if a.TypeScript {
		compile, code = "RUN echo '"+string(a.Production.Config)+"' > tsconfig.image.json && npx tsc -p tsconfig.image.json\n", "dist ./dist"
	}
	return `FROM node:22-slim AS build
WORKDIR /app
COPY . .
` + rewrite + `RUN ` + manager.install + `
` + compile + `RUN ` + manager.prune + `

FROM node:22-slim
WORKDIR /app
RUN groupadd --gid 1001 gati && useradd --uid 1001 --gid 1001 --home-dir /app gati
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/` + code + `
USER 1001:1001
ENV NODE_ENV=production
CMD ["node", "node_modules/gati-kubernetes/src/cli/main.js"]
`
}

// rewriteManifest returns the line that makes package.json that of an image.
func rewriteManifest(p Production) string {
	var commands []string
	if len(p.Removed) > 0 {
		commands = append(commands, "npm pkg delete '"+strings.Join(p.Removed, "' '")+"'")
	}
	var set []string
	for _, key := range slices.Sorted(maps.Keys(p.Set)) {
		set = append(set, "'"+key+"="+p.Set[key]+"'")
	}
	if len(set) > 0 {
		commands = append(commands, "npm pkg set "+strings.Join(set, " "))
	}
	if len(commands) == 0 {
		return ""
	}
	return "RUN " + strings.Join(commands, " && ") + "\n"
}

func kustomization(a Application, names []string) string {
	slices.Sort(names)
	var out strings.Builder
	out.WriteString("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n")
	for _, name := range names {
		fmt.Fprintf(&out, "  - %s\n", name)
	}
	fmt.Fprintf(&out, "labels:\n  - pairs:\n      app.kubernetes.io/part-of: %s\n", strconv.Quote(a.Name))
	return out.String()
}

// object is a GatiHandler to be written.
type object struct {
	name, path string
	methods    []string
}

func handlersFor(a Application, o Options) []object {
	if !o.PerRoute {
		return []object{{name: a.Name, path: "/*"}}
	}
	var out []object
	for _, r := range a.Routes {
		at := slices.IndexFunc(out, func(h object) bool { return h.path == r.Path })
		if at < 0 {
			at = len(out)
			out = append(out, object{path: r.Path, name: uniqueName(out, a.Name, r.Path)})
		}
		out[at].methods = append(out[at].methods, r.Method)
	}
	return out
}

// uniqueName names a handler by its path: two paths may differ in signs alone.
func uniqueName(others []object, name, path string) string {
	for i, suffix := 2, ""; ; i++ {
		full := handlerName(name+"-"+path, suffix)
		if !slices.ContainsFunc(others, func(h object) bool { return h.name == full }) {
			return full
		}
		suffix = fmt.Sprintf("-%d", i)
	}
}

func (h object) manifest(a Application, o Options) string {
	var out strings.Builder
	fmt.Fprintf(&out, "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata:\n  name: %s\nspec:\n  path: %s\n",
		strconv.Quote(h.name), strconv.Quote(h.path))
	if len(h.methods) > 0 {
		slices.Sort(h.methods)
		fmt.Fprintf(&out, "  methods: [%s]\n", strings.Join(h.methods, ", "))
	}
	fmt.Fprintf(&out, "  image: %s\n", strconv.Quote(o.Image))
	if o.Gateway != "" {
		fmt.Fprintf(&out, "  route:\n    parentRefs:\n      - name: %s\n", strconv.Quote(o.Gateway))
		if strings.Contains(h.path, ":") {
			out.WriteString("    pathMatch: PathPrefix\n") // The one that every gateway offers.
		}
		if o.Hostname != "" {
			fmt.Fprintf(&out, "    hostnames: [%s]\n", strconv.Quote(o.Hostname))
		}
	}
	writeEnv(&out, a)
	return out.String()
}

// secretWords are parts of the names of variables whose values are secrets.
var secretWords = []string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL", "DATABASE_URL", "DSN"}

// writeEnv refers to objects that need not exist: values are never read from the folder.
func writeEnv(out *strings.Builder, a Application) {
	if len(a.Env) > 0 {
		out.WriteString("  env:\n")
	}
	for _, name := range a.Env {
		ref := "configMapKeyRef"
		if slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) }) {
			ref = "secretKeyRef"
		}
		fmt.Fprintf(out, "    - name: %s\n      valueFrom:\n        %s: {name: %s, key: %s, optional: true}\n", name, ref, strconv.Quote(a.Name), name)
	}
}
