// Clients of modules. The published runtime calls modules of its own process only,
// so what is registered is a client of the module's pods.
import { ConnectionPool, registerModule } from '@gati-framework/runtime';

// The port of a GatiModule unless its address or GATI_MODULE_<NAME>__PORT has another.
const defaultPort = 50051;

// No name has two hyphens in a row: GATI_MODULE_<NAME>__PORT is no module's.
const variable = /^GATI_MODULE_([A-Z0-9]+(?:_[A-Z0-9]+)*)$/;

/** @type {typeof import('../index.d.ts').remoteModule} */
export function remoteModule(name, address, { timeout = 2000 } = {}) {
  const base = `http://${/:\d+$/.test(address) ? address : `${address}:${defaultPort}`}`;
  /** @param {string} method */
  const caller = (method) => async (/** @type {unknown[]} */ ...args) => {
    const response = await fetch(`${base}/${method}`, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ args }), signal: AbortSignal.timeout(timeout),
    });
    if (!response.ok) throw new Error(`module ${name} at ${base} answered ${response.status} to ${method}`);
    return response.json();
  };
  return new Proxy(/** @type {Record<string, (...args: unknown[]) => Promise<any>>} */ ({}), {
    // A client that had a method "then" would be taken for a promise.
    get: (_, method) => (typeof method === 'string' && method !== 'then' ? caller(method) : undefined),
  });
}

/**
 * Registers a client for each GATI_MODULE_<NAME> of the environment. The runtime's
 * pool holds no real connections, so its size bounds only how many calls run at once.
 * @param {import('@gati-framework/runtime').GatiApp} app
 * @param {{modules: boolean, callTimeout: number, callLimit: number, env: NodeJS.ProcessEnv}} settings
 */
export function registerModules(app, { modules, callTimeout, callLimit, env }) {
  if (!modules) return;
  for (const [key, host] of Object.entries(env)) {
    const [, upper] = variable.exec(key) ?? [];
    if (upper === undefined || !host) continue;
    const port = env[`${key}__PORT`];
    const address = port === undefined || /:\d+$/.test(host) ? host : `${host}:${port}`;
    const name = upper.toLowerCase().replaceAll('_', '-');
    registerModule(app.getGlobalContext(), name, remoteModule(name, address, { timeout: callTimeout }), {
      connectionPool: new ConnectionPool({ maxConnections: callLimit }),
    });
  }
}
