// The front receives each request before the runtime does, and each answer after it:
// what the runtime does not do is done here, so that handlers need not know of it.
import { Disconnected, hasBody, readBody, TooLarge, withBody } from './body.js';
import { endConnection } from './connections.js';
import { stackOf } from './errors.js';
import { versionHeader } from './transformers/caller.js';
import { TransformerError } from './transformers/chain.js';

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {(req: IncomingMessage, res: ServerResponse) => void} Listener
 */

/** Front is the listener of a server, before the runtime's own. */
export class Front {
  #router;
  #settings;
  #parts;

  /**
   * @param {import('@gati-framework/runtime').GatiApp} app
   * @param {{bodyLimit: number, version: string}} settings
   * @param {{stop: import('./stop.js').GracefulStop, metrics: import('./metrics.js').Metrics,
   *   connections: import('./connections.js').Connections,
   *   transformers: import('./transformers/transformers.js').Transformers, own: Set<string>}} parts
   */
  constructor(app, settings, parts) {
    this.#router = app.getRouteManager();
    this.#settings = settings;
    this.#parts = parts;
  }

  /** @param {import('node:http').Server} server */
  install(server) {
    const listeners = /** @type {Listener[]} */ (server.listeners('request'));
    server.removeAllListeners('request');
    /** @type {Listener} */
    const next = (req, res) => listeners.forEach((listener) => listener.call(server, req, res));
    server.on('request', (req, res) => {
      this.#parts.stop.watch(res);
      if (this.#settings.version !== '') res.setHeader(versionHeader, this.#settings.version);
      this.#parts.metrics.watch(req, res);
      this.#pass(req, res, next).catch((error) => this.#fail(res, error));
    });
  }

  /**
   * @param {IncomingMessage} req
   * @param {ServerResponse} res
   * @param {Listener} next
   */
  async #pass(req, res, next) {
    const path = (req.url ?? '/').split('?', 1)[0];
    if (!isDecodable(path)) {
      answer(res, 400, { error: 'Bad Request', message: 'the path is not UTF-8' });
      return;
    }
    this.#allowHead(req, path);
    const { connections, own, transformers } = this.#parts;
    connections.watch(req.socket, res, own.has(path) || transformers.isPinned(req));
    const exchange = own.has(path) ? undefined : transformers.begin(req, path);
    if (exchange?.refusal !== undefined) {
      if (exchange.refusal.status !== 410) endConnection(res); // Another connection may lead to another version.
      answer(res, exchange.refusal.status, exchange.refusal.body);
      return;
    }
    if (hasBody(req)) {
      const body = await readBody(req, this.#settings.bodyLimit);
      req = withBody(req, exchange === undefined ? body : await exchange.transformRequest(req, body));
    }
    exchange?.capture(res);
    next(req, res);
  }

  // The runtime has no HEAD for what has GET. Node.js leaves the body of the answer
  // out by itself.
  /**
   * @param {IncomingMessage} req
   * @param {string} path
   */
  #allowHead(req, path) {
    if (req.method !== 'HEAD' || this.#router.match('HEAD', path) !== null) return;
    if (this.#router.match('GET', path) !== null) req.method = 'GET';
  }

  /**
   * @param {ServerResponse} res
   * @param {unknown} error
   */
  #fail(res, error) {
    if (error instanceof Disconnected || res.headersSent) return;
    if (error instanceof TooLarge) {
      res.setHeader('Connection', 'close'); // the rest of the body is not read
      answer(res, 413, { error: 'Payload Too Large', message: `a body may have ${this.#settings.bodyLimit} bytes` });
      return;
    }
    if (!(error instanceof TransformerError)) console.error(`request failed: ${stackOf(error)}`);
    answer(res, 500, { error: 'Internal Server Error' });
  }
}

/** @param {string} path */
function isDecodable(path) {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {ServerResponse} res
 * @param {number} status
 * @param {object} body
 */
function answer(res, status, body) {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text);
}
