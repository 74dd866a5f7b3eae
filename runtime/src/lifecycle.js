// Modules in the form of the Gati documents: {name, init, exports, shutdown, healthCheck}.
// What handlers call is exports, or what init returns.
import { listFunctions } from './functions.js';

const ofLifecycle = new Set(['init', 'shutdown', 'healthCheck']);

/**
 * Reports whether an object is in the form of the documents. Another object whose function
 * is called init is a module itself.
 * @param {any} object
 */
function hasLifecycle(object) {
  if (typeof object.name !== 'string' || (object.exports === undefined && typeof object.init !== 'function')) return false;
  return [...listFunctions(object).keys()].every((path) => ofLifecycle.has(path) || path.startsWith('exports.'));
}

/**
 * Returns the object whose functions handlers call. A module in the form of the documents
 * is initialized first, and stops with the program.
 * @param {import('@gati-framework/runtime').GlobalContext} gctx
 * @param {any} object
 * @returns {Promise<object> | object}
 */
export function openModule(gctx, object) {
  if (!hasLifecycle(object)) return object;
  if (object.shutdown) gctx.lifecycle.onShutdown(`module ${object.name}`, async () => object.shutdown());
  if (object.healthCheck) {
    gctx.lifecycle.onHealthCheck(`module ${object.name}`, async () => ({ status: (await object.healthCheck()) ? 'pass' : 'fail' }));
  }
  return initialize(gctx, object);
}

/**
 * @param {import('@gati-framework/runtime').GlobalContext} gctx
 * @param {any} object
 * @returns {Promise<object>}
 */
async function initialize(gctx, object) {
  const made = await object.init?.(gctx);
  return typeof made === 'object' && made !== null ? made : (object.exports ?? {});
}
