package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// Options are what a folder does not say.
type Options struct {
	// Image is the name of the image, Gateway and Hostname the place of its routes; a
	// handler without a gateway has a Service alone.
	Image, Gateway, GatewayNamespace, Hostname string
	// PerRoute gives each route a handler, and so versions of its own.
	PerRoute bool
	// ModulePods gives each module pods of its own; otherwise they run in the process of the
	// handlers, where a call cannot fail and takes any value.
	ModulePods bool
}

// ImageName returns the image of an application in a registry, by the version of its
// package.json.
func ImageName(a Application, registry string) string {
	version := imageTag.ReplaceAllString(a.Version, "-")
	if version == "" {
		version = "1"
	}
	return strings.TrimSuffix(registry, "/") + "/" + a.Name + ":v" + version
}

var imageTag = lazyregexp.New(`[^\w.-]`)

// Check holds that the application can have the files of these options.
func Check(a Application, o Options) error {
	if o.ModulePods {
		if err := checkModules(a); err != nil {
			return err
		}
	}
	for _, r := range a.Routes {
		if !o.PerRoute {
			break // One handler has all paths, also computed ones.
		}
		if r.Fault != "" {
			return errors.New(r.Fault)
		}
		if !handlerPath.MatchString(r.Path) {
			return fmt.Errorf("%s: %q is no path of a GatiHandler; use plain words and parameters such as /users/:id, or one handler for the application", r.File, r.Path)
		}
	}
	return nil
}

// handlerPath is what spec.path accepts, as far as a route has it.
var handlerPath = lazyregexp.New(`^/(?:(?:[A-Za-z0-9._~!$&()+,;=@%-]+|:[A-Za-z_]\w*|\*)(?:/|$))*$`)

// program is the runner's, in an image.
const program = "node_modules/" + runner + "/src/cli/main.js"

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
	if o.ModulePods {
		for _, m := range a.Modules {
			name := "module-" + m.Name + ".yaml"
			files["k8s/"+name] = m.manifest(a, o)
			names = append(names, name)
		}
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
CMD ["node", "` + program + `"]
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
	if a.Port != 0 && a.Port != defaultPort {
		fmt.Fprintf(&out, "  port: %d\n", a.Port)
	}
	h.writeRoute(&out, o)
	env := a.Env
	if o.ModulePods {
		env = a.HandlerEnv
		writeModules(&out, a.Modules)
	}
	writeEnv(&out, a.Name, env)
	return out.String()
}

// defaultPort is that of spec.port.
const defaultPort = 3000

func (h object) writeRoute(out *strings.Builder, o Options) {
	if o.Gateway == "" {
		return
	}
	fmt.Fprintf(out, "  route:\n    parentRefs:\n      - name: %s\n", strconv.Quote(o.Gateway))
	if o.GatewayNamespace != "" {
		fmt.Fprintf(out, "        namespace: %s\n", strconv.Quote(o.GatewayNamespace))
	}
	if strings.Contains(h.path, ":") {
		out.WriteString("    pathMatch: PathPrefix\n") // The one that every gateway offers.
	}
	if o.Hostname != "" {
		fmt.Fprintf(out, "    hostnames: [%s]\n", strconv.Quote(o.Hostname))
	}
}

func writeModules(out *strings.Builder, all []Module) {
	names := make([]string, 0, len(all))
	for _, m := range all {
		names = append(names, strconv.Quote(m.Name))
	}
	if len(names) > 0 {
		fmt.Fprintf(out, "  modules: [%s]\n", strings.Join(names, ", "))
	}
}

// secretWords are parts of the names of variables whose values are secrets.
var secretWords = []string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL", "DATABASE_URL", "DSN"}

func isSecret(variable string) bool {
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(variable, word) })
}

// writeEnv refers to objects that need not exist: values are never read from the folder.
func writeEnv(out *strings.Builder, object string, env []string) {
	if len(env) > 0 {
		out.WriteString("  env:\n")
	}
	for _, name := range env {
		ref := "configMapKeyRef"
		if isSecret(name) {
			ref = "secretKeyRef"
		}
		fmt.Fprintf(out, "    - name: %s\n      valueFrom:\n        %s: {name: %s, key: %s, optional: true}\n", name, ref, strconv.Quote(object), name)
	}
}
