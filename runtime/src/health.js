// The runtime has no health route of its own. It has health checks, which an
// application adds with gctx.lifecycle.onHealthCheck; one that fails makes the pod
// unready.

/** @param {import('@gati-framework/runtime').GatiApp} app */
export function addHealth(app) {
  app.get('/health', async (_req, res, gctx) => {
    const health = await gctx.lifecycle.executeHealthChecks();
    res.status(health.status === 'unhealthy' ? 503 : 200).json({ ...health, uptime: process.uptime() });
  });
}
