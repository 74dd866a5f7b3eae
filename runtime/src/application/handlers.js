// The handlers of an application, each with its method and route by the rules of
// upstream's own loader: METHOD, or GET; ROUTE below the folder of the file, or the path
// of the file.
import { OptionError } from '../options.js';
import { findEntry, nameOf, withoutSuffix } from './files.js';
import { loadExports } from './load.js';

/** @typedef {{method: any, route: string, handler: import('@gati-framework/runtime').Handler, file: string}} Route */

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/**
 * @param {import('./files.js').Files} files
 * @returns {Promise<Route[]>}
 */
export async function loadHandlers(files) {
  checkManifest(files);
  /** @type {Map<string, Route>} */
  const routes = new Map();
  for (const file of files.handlers) {
    for (const route of await loadHandler(files, file)) {
      const key = `${route.method} ${route.route.replace(/:\w+/g, ':')}`;
      const other = routes.get(key);
      if (other !== undefined) throw new OptionError(`${route.method} ${route.route} is the route of ${other.file} and of ${route.file}; change METHOD or ROUTE of one`);
      routes.set(key, route);
    }
  }
  if (routes.size === 0) throw new OptionError(`no file of ${nameOf(files, 'handlers')} exports a handler: a function whose name has "handler" in it, or a default export`);
  return [...routes.values()].sort(bySpecificity);
}

/**
 * The manifest is older than the code if it has a file that is gone.
 * @param {import('./files.js').Files} files
 */
function checkManifest(files) {
  for (const { relativePath } of files.manifest.handlers) {
    if (files.handlers.some((file) => withoutSuffix(file) === withoutSuffix(relativePath))) continue;
    throw new OptionError(`.gati/manifests/_app.json has ${relativePath}, and there is no ${nameOf(files, withoutSuffix(relativePath))}.js; compile it, or run gati generate:manifests again`);
  }
}

/**
 * @param {import('./files.js').Files} files
 * @param {string} file
 * @returns {Promise<Route[]>}
 */
async function loadHandler(files, file) {
  const exported = await loadExports(files, file);
  const entry = findEntry(files.manifest.handlers, file);
  const handler = findHandler(exported, entry?.exportName);
  const name = nameOf(files, file);
  if (handler === undefined) {
    if (exported.METHOD === undefined && exported.ROUTE === undefined && entry === undefined) return []; // What handlers share.
    throw new OptionError(`${name} exports no handler: export a function whose name has "handler" in it, or a default one`);
  }
  const route = readRoute(exported, entry, file);
  if (typeof route !== 'string') throw new OptionError(`ROUTE of ${name} is ${JSON.stringify(route)}, want a string such as '/users/:id'`);
  return readMethods(exported, entry, name).map((method) => ({ method, route, handler, file: name }));
}

/**
 * @param {Record<string, any>} exported
 * @param {import('./files.js').Entry | undefined} entry
 * @param {string} name of the file
 * @returns {string[]}
 */
export function readMethods(exported, entry, name) {
  return [exported.METHOD ?? entry?.method ?? 'GET'].flat().map((method) => {
    const upper = String(method).toUpperCase();
    if (!methods.includes(upper)) throw new OptionError(`METHOD of ${name} is "${method}", want one of ${methods.join(', ')}`);
    return upper;
  });
}

/**
 * @param {Record<string, any>} exported
 * @param {string | undefined} name
 */
function findHandler(exported, name) {
  return handlerNames(Object.keys(exported), name).map((key) => exported[key]).find((value) => typeof value === 'function');
}

/**
 * The exports that may be the handler of a file, the first of them first.
 * @param {string[]} exported
 * @param {string | undefined} name that of the manifest
 */
export function handlerNames(exported, name) {
  return [name ?? '', ...exported.filter((key) => key.toLowerCase().includes('handler')), 'default'];
}

/**
 * @param {Record<string, any>} exported
 * @param {import('./files.js').Entry | undefined} entry
 * @param {string} file
 */
export function readRoute(exported, entry, file) {
  const own = withoutSuffix(file).replace(/^handlers\//, '');
  const { ROUTE } = exported;
  if (ROUTE !== undefined && typeof ROUTE !== 'string') return ROUTE;
  if (ROUTE === undefined && entry?.route !== undefined) return tidy(entry.route);
  if (ROUTE === undefined) return tidy(`/${own === 'index' ? '' : own.replace(/\/index$/, '')}`);
  return tidy(`/${own.includes('/') ? own.slice(0, own.lastIndexOf('/')) : ''}/${ROUTE}`);
}

/** @param {string} route */
function tidy(route) {
  const path = route.replace(/\[(\w+)\]/g, ':$1').replace(/\/{2,}/g, '/');
  return path === '/' ? path : path.replace(/\/$/, '');
}

/**
 * The router takes the first route that matches: /users/me before /users/:id.
 * @param {Route} a
 * @param {Route} b
 */
function bySpecificity(a, b) {
  const rank = (/** @type {Route} */ { route }) => route.replace(/:/g, '\u{fffe}').replace(/\*/g, '\u{ffff}');
  return rank(a) < rank(b) ? -1 : Number(rank(a) > rank(b));
}
