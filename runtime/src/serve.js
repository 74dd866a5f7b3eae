// serve and attach: what makes a program of an application.
import { createApp, shutdownGlobalContext } from '@gati-framework/runtime';

import { Connections } from './connections.js';
import { surviveClients, wrapHandlers } from './errors.js';
import { Front } from './front.js';
import { addHealth } from './health.js';
import { Metrics } from './metrics.js';
import { registerModules } from './modules.js';
import { OptionError, readOptions } from './options.js';
import { widenRoutes } from './routes.js';
import { GracefulStop } from './stop.js';
import { Transformers } from './transformers/transformers.js';

/** @type {typeof import('../index.d.ts').serve} */
export async function serve(register, options = {}) {
  const settings = settingsOrExit(options);
  const app = createApp({
    logging: false, ...settings.app, port: settings.port, host: settings.host, instance: { id: settings.instance, region: 'local', zone: 'local', ...settings.app.instance },
  });
  const program = prepare(app, settings);
  await register(app);
  await app.listen();
  console.log(`version ${settings.version || 'unknown'} listens on ${settings.host}:${settings.port}`);
  return { app, stop: () => program.stop.run('stop') };
}

/** @type {typeof import('../index.d.ts').attach} */
export function attach(app, options = {}) {
  if (app.isRunning()) throw new Error('attach: the application listens already; call attach before app.listen()');
  const program = prepare(app, settingsOrExit(options));
  return { app, stop: () => program.stop.run('stop') };
}

/**
 * Gives an application that does not listen yet what its pods need.
 * @param {import('@gati-framework/runtime').GatiApp} app
 * @param {import('./options.js').Settings} settings
 */
function prepare(app, settings) {
  surviveClients();
  const stop = new GracefulStop(settings, () => shutdownGlobalContext(app.getGlobalContext()));
  stop.onSignals(['SIGTERM', 'SIGINT']);
  const router = app.getRouteManager();
  const routes = router.getRoutes();
  widenRoutes(app);
  wrapHandlers(app, settings.handlerTimeout);
  router.clear();
  for (const { method, path, handler } of routes) router.register(method, path, handler);
  registerModules(app, settings);

  const metrics = new Metrics(app);
  const connections = new Connections(settings.lameDuck);
  const transformers = new Transformers(settings, metrics.registry, connections);
  const listen = app.listen.bind(app);
  app.listen = async () => {
    await transformers.load();
    // After the application's own routes, which win where it has the same.
    const own = addOwnRoutes(app, metrics, transformers);
    await listen();
    // The runtime has no accessor for its server; the field is private in TypeScript
    // only. Nothing has connected yet.
    const { server } = /** @type {{server: import('node:http').Server}} */ (/** @type {unknown} */ (app));
    stop.begin(server);
    connections.begin(server);
    new Front(app, settings, { stop, metrics, connections, transformers, own }).install(server);
  };
  return { stop };
}

/**
 * @param {import('@gati-framework/runtime').GatiApp} app
 * @param {Metrics} metrics
 * @param {Transformers} transformers
 * @returns the paths that speak no version of the application
 */
function addOwnRoutes(app, metrics, transformers) {
  const router = app.getRouteManager();
  /** @type {Record<string, () => void>} */
  const routes = {
    '/health': () => addHealth(app),
    '/metrics': () => metrics.addRoute(app),
    '/gati/versions': () => transformers.addRoute(app),
  };
  for (const [path, add] of Object.entries(routes)) {
    if (router.match('GET', path) === null) add();
  }
  return new Set(Object.keys(routes));
}

/** @param {import('../index.d.ts').Options} options */
function settingsOrExit(options) {
  try {
    return readOptions(options, process.env);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    console.error(`FATAL: ${error.message}`);
    process.exit(2);
  }
}
