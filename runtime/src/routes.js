// Paths of a GatiHandler that the runtime's router takes literally: [id] for a
// parameter, and a trailing * for the rest of the path.

/** @param {import('@gati-framework/runtime').GatiApp} app */
export function widenRoutes(app) {
  const router = app.getRouteManager();
  const register = router.register.bind(router);
  router.register = (method, path, handler) => {
    register(method, path.replace(/\[([A-Za-z_]\w*)\]/g, ':$1'), handler);
    const routes = router.getRoutes();
    const { path: normalized, pattern } = routes[routes.length - 1];
    if (!normalized.endsWith('/*') || pattern === undefined) return;
    pattern.regex = new RegExp(pattern.regex.source.replace(/\\\/\*\$$/, '(?:\\/(.*))?$'));
    pattern.paramNames.push('*');
  };
}
