// Clients of modules. The published runtime calls modules of its own process only,
// so what is registered is a client of the module's pods.
import { ConnectionPool, HandlerError, registerModule, RPCError } from '@gati-framework/runtime';

import { listFunctions } from './functions.js';
import { openModule } from './lifecycle.js';

/** @typedef {(...args: unknown[]) => Promise<any>} Caller */

// The port of a GatiModule unless its address or GATI_MODULE_<NAME>__PORT has another.
const defaultPort = 50051;

// No name has two hyphens in a row: GATI_MODULE_<NAME>__PORT is no module's.
const variable = /^GATI_MODULE_([A-Z0-9]+(?:_[A-Z0-9]+)*)$/;

/** @type {typeof import('../index.d.ts').remoteModule} */
export function remoteModule(name, address, { timeout = 2000 } = {}) {
  const base = `http://${/:\d+$/.test(address) ? address : `${address}:${defaultPort}`}`;
  return nestCalls(async (method, args) => {
    const response = await fetch(`${base}/${method}`, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ args }), signal: AbortSignal.timeout(timeout),
    });
    if (response.ok) return response.json();
    throw await readError(response, name, method) ?? new Error(`module ${name} at ${base} answered ${response.status} to ${method}`);
  });
}

/**
 * Calls functions by their place: client.users.findById('1') calls users.findById.
 * @param {(method: string, args: unknown[]) => Promise<any>} call
 * @param {string} [path]
 * @returns {any}
 */
function nestCalls(call, path = '') {
  const target = path === '' ? {} : (/** @type {unknown[]} */ ...args) => call(path, args);
  return new Proxy(target, {
    get: (_, key) => {
      if (typeof key !== 'string' || notCalls.has(key)) return undefined;
      if (path !== '' && ofFunctions.has(key)) return Reflect.get(target, key);
      return nestCalls(call, path === '' ? key : `${path}.${key}`);
    },
  });
}

// A client that had a method "then" would be taken for a promise; JSON calls "toJSON".
const notCalls = new Set(['then', 'toJSON']);
const ofFunctions = new Set(['apply', 'bind', 'call']);

/**
 * Returns the error that a module of serveModule has answered with: what its function threw.
 * Undefined is the answer of another program.
 * @param {Response} response
 * @param {string} module
 * @param {string} method
 */
async function readError(response, module, method) {
  const { error } = /** @type {any} */ (await response.json().catch(() => ({})));
  if (typeof error?.name !== 'string' || typeof error.message !== 'string') return undefined;
  if (error.name === 'HandlerError') return new HandlerError(error.message, response.status);
  if (error.name === 'RPCError') return new RPCError(error.message, module, method);
  return Object.assign(new Error(error.message), { name: error.name });
}

/** @type {typeof import('../index.d.ts').addModule} */
export async function addModule(app, name, object) {
  const gctx = app.getGlobalContext();
  if (remote.get(gctx)?.has(name)) return;
  const opened = openModule(gctx, object);
  // A plain module is there at once: a caller need not await it.
  const callable = opened instanceof Promise ? await opened : opened;
  // The runtime calls what an object inherits as well, and fails where a function returns nothing.
  const flat = Object.create(null);
  for (const [path, fn] of listFunctions(callable)) flat[path] = async (/** @type {unknown[]} */ ...args) => (await fn(...args)) ?? null;
  register(gctx, name, flat, {});
}

/**
 * The modules that the environment leads to their pods.
 * @type {WeakMap<object, Set<string>>}
 */
const remote = new WeakMap();

/**
 * Registers a module by the runtime, whose client knows functions and no groups of them.
 * @param {import('@gati-framework/runtime').GlobalContext} gctx
 * @param {string} name
 * @param {object} flat
 * @param {object} options
 */
function register(gctx, name, flat, options) {
  registerModule(gctx, name, flat, options);
  const modules = /** @type {Record<string, any>} */ (gctx.modules);
  const client = modules[name];
  modules[name] = nestCalls((method, args) => client[method](...args));
}

/**
 * Registers a client for each GATI_MODULE_<NAME> of the environment. The runtime's
 * pool holds no real connections, so its size bounds only how many calls run at once.
 * @param {import('@gati-framework/runtime').GatiApp} app
 * @param {{modules: boolean, callTimeout: number, callLimit: number, env: NodeJS.ProcessEnv}} settings
 */
export function registerModules(app, { modules, callTimeout, callLimit, env }) {
  if (!modules) return;
  const names = new Set();
  remote.set(app.getGlobalContext(), names);
  for (const [key, host] of Object.entries(env)) {
    const [, upper] = variable.exec(key) ?? [];
    if (upper === undefined || !host) continue;
    const port = env[`${key}__PORT`];
    const address = port === undefined || /:\d+$/.test(host) ? host : `${host}:${port}`;
    const name = upper.toLowerCase().replaceAll('_', '-');
    names.add(name);
    register(app.getGlobalContext(), name, remoteModule(name, address, { timeout: callTimeout }), {
      connectionPool: new ConnectionPool({ maxConnections: callLimit }),
    });
  }
}
