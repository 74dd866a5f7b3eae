// The program of a GatiModule: each function of an object is a route.
import { HandlerError } from '@gati-framework/runtime';

import { stackOf } from './errors.js';
import { listFunctions } from './functions.js';
import { openModule } from './lifecycle.js';
import { OptionError } from './options.js';
import { serve } from './serve.js';

/** @type {typeof import('../index.d.ts').serveModule} */
export async function serveModule(object, options = {}) {
  return serve(async (app) => {
    const functions = listFunctions(await openModule(app.getGlobalContext(), object));
    if (functions.size === 0) throw new OptionError('serveModule: the module has no function; give it the object whose functions handlers call');
    for (const [name, fn] of functions) {
      app.post(`/${name}`, async (req, res) => {
        const args = /** @type {any} */ (req.body)?.args;
        if (!Array.isArray(args)) refuse(res, 400, 'TypeError', 'the body is not {"args": [...]}');
        else await answerCall(res, name, fn, args);
      });
    }
    app.post('/*', (req, res) => refuse(res, 404, 'RPCError', `Method not found: ${req.params['*']}`));
  }, { defaultPort: 50051, ...options });
}

/**
 * Answers with what a function returns, or with what it throws.
 * @param {import('@gati-framework/runtime').Response} res
 * @param {string} name
 * @param {(...args: unknown[]) => unknown} fn
 * @param {unknown[]} args
 */
async function answerCall(res, name, fn, args) {
  try {
    res.json((await fn(...args)) ?? null);
  } catch (error) {
    const status = error instanceof HandlerError ? error.statusCode : 500;
    if (status >= 500) console.error(`${name} failed: ${stackOf(error)}`);
    const thrown = error instanceof Error ? error : new Error(String(error));
    refuse(res, status, thrown.name, thrown.message);
  }
}

/**
 * @param {import('@gati-framework/runtime').Response} res
 * @param {number} status
 * @param {string} name
 * @param {string} message
 */
function refuse(res, status, name, message) {
  res.status(status).json({ error: { name, message } });
}
