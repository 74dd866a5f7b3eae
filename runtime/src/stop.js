// A stop that loses no request. The runtime's own close() answers 503 to whatever
// arrives on connections that are still open, so it is not used.
import { setTimeout as sleep } from 'node:timers/promises';

import { endConnection } from './connections.js';
import { stackOf } from './errors.js';

// Without a new connection for this long, none is expected any more.
const quiet = 2000;

/** GracefulStop ends a server once every request is answered. */
export class GracefulStop {
  /** @type {import('node:http').Server | undefined} */
  #server;
  /** @type {Promise<void> | undefined} */
  #stopping;
  /** @type {Set<import('node:http').ServerResponse>} */
  #open = new Set();
  #arrived = 0;
  #forgetSignals = () => {};
  #settings;
  #then;

  /**
   * @param {{keepAlive: number, lameDuck: number}} settings
   * @param {() => Promise<void>} then
   */
  constructor(settings, then) {
    this.#settings = settings;
    this.#then = then;
  }

  /**
   * Takes over a server that listens. The side that sends requests has to close idle
   * connections: on one that the pod closes, a request is lost. So keepAlive is longer
   * than the idle time of gateways (Go's is 90 s).
   * @param {import('node:http').Server} server
   */
  begin(server) {
    this.#server = server;
    server.keepAliveTimeout = this.#settings.keepAlive;
    server.headersTimeout = this.#settings.keepAlive + 1000;
    server.on('connection', () => (this.#arrived = Date.now()));
  }

  /**
   * Remembers an answer that is owed.
   * @param {import('node:http').ServerResponse} res
   */
  watch(res) {
    this.#open.add(res);
    res.once('close', () => this.#open.delete(res));
    if (this.#stopping !== undefined) endConnection(res);
  }

  /** @param {NodeJS.Signals[]} signals */
  onSignals(signals) {
    /** @param {NodeJS.Signals} signal */
    const end = (signal) => {
      if (this.#stopping !== undefined) return;
      this.run(signal).then(
        () => process.exit(0),
        (error) => {
          console.error(`the stop failed: ${stackOf(error)}`);
          process.exit(1);
        },
      );
    };
    for (const signal of signals) process.on(signal, end);
    this.#forgetSignals = () => signals.forEach((signal) => process.off(signal, end));
  }

  /**
   * Stops once; later calls wait for the same end.
   * @param {string} cause
   */
  run(cause) {
    this.#stopping ??= this.#run(cause);
    return this.#stopping;
  }

  // At first everything is served, and each answer asks its client to open a new
  // connection, which leads to another pod. Idle connections are closed after a
  // while, because a gateway may learn late that the pod is stopping. Then only
  // requests in flight are finished.
  /** @param {string} cause */
  async #run(cause) {
    console.log(`${cause}: ${this.#open.size} requests in flight`);
    for (const res of this.#open) endConnection(res);
    const server = this.#server;
    if (server !== undefined) {
      const begun = Date.now();
      this.#arrived = Math.max(this.#arrived, begun);
      while (Date.now() < begun + this.#settings.lameDuck && !(await this.#isQuiet(server))) await sleep(50);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
    }
    await this.#then();
    this.#forgetSignals();
    console.log('all requests answered');
  }

  // No connection is open, and none has arrived for a while.
  /** @param {import('node:http').Server} server */
  async #isQuiet(server) {
    return Date.now() - this.#arrived > quiet && (await countConnections(server)) === 0;
  }
}

/**
 * @param {import('node:http').Server} server
 * @returns {Promise<number>}
 */
function countConnections(server) {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
