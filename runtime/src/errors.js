// What goes wrong without a word in the published runtime: an exception of a
// handler, one that takes too long, and a promise that nothing awaits.
import { HandlerError } from '@gati-framework/runtime';

let survives = false;

/**
 * Keeps the process alive on a promise that is rejected without a listener. In the
 * published runtime one client that disconnects can cause that.
 */
export function surviveClients() {
  if (survives) return;
  survives = true;
  process.on('unhandledRejection', (reason) => console.error(`unhandled rejection: ${stackOf(reason)}`));
}

/**
 * The stack of an error, or the value itself.
 * @param {unknown} reason
 */
export function stackOf(reason) {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
}

/**
 * Logs what handlers throw, and ends those that take longer than a pod can wait for.
 * @param {import('@gati-framework/runtime').GatiApp} app
 * @param {number} timeout
 */
export function wrapHandlers(app, timeout) {
  const router = app.getRouteManager();
  const register = router.register.bind(router);
  router.register = (method, path, handler) => register(method, path, wrapHandler(handler, { method, path }, timeout));
}

/**
 * @param {import('@gati-framework/runtime').Handler} handler
 * @param {{method: string, path: string}} route
 * @param {number} timeout
 * @returns {import('@gati-framework/runtime').Handler}
 */
function wrapHandler(handler, { method, path }, timeout) {
  return async (req, res, gctx, lctx) => {
    const timer = deadline(timeout);
    try {
      return await Promise.race([handler(req, res, gctx, lctx), timer.expired]);
    } catch (error) {
      // Errors of the client's making are answered, not logged.
      if (!(error instanceof HandlerError) || error.statusCode >= 500) {
        console.error(`${method} ${path} failed: ${stackOf(error)}`);
      }
      throw error;
    } finally {
      timer.clear();
    }
  };
}

/** @param {number} timeout */
function deadline(timeout) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const expired = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new HandlerError(`the handler did not answer within ${timeout} ms`, 504)), timeout);
  });
  return { expired, clear: () => clearTimeout(timer) };
}
