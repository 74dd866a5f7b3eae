// A stop that loses no request. The runtime's own close() answers 503 to whatever
// comes in on connections that are still open, so it is not used.
import { setTimeout as sleep } from 'node:timers/promises';

// Longer than the idle time of the usual gateways (Go's is 90 s): the side that
// sends requests has to be the one that closes an idle connection, or a request
// meets the closing one and is lost.
const keepAlive = 100_000;

// How long nobody has to call before it is believed that nobody will.
const quiet = 2000;

/** GracefulStop ends a server on SIGTERM, after what it owes to its clients. */
export class GracefulStop {
  #server;
  #stopping = false;
  #open = new Set();
  #arrived = 0;

  /** begin takes the server over once it listens. */
  begin(server) {
    this.#server = server;
    server.keepAliveTimeout = keepAlive;
    server.headersTimeout = keepAlive + 1000;
    server.on('connection', () => (this.#arrived = Date.now()));
  }

  /** watch remembers an answer that is owed. */
  watch(res) {
    this.#open.add(res);
    res.once('close', () => this.#open.delete(res));
    if (this.#stopping) lastOfItsConnection(res);
  }

  /** on calls then after the stop, and ends the process. */
  on(signals, lameDuck, then) {
    for (const signal of signals) {
      process.on(signal, () => {
        if (this.#stopping) return;
        this.#run(signal, lameDuck, then).then(
          () => process.exit(0),
          (error) => {
            console.error(`the stop failed: ${error.stack}`);
            process.exit(1);
          },
        );
      });
    }
  }

  // At first all is served as before, but each answer asks its client to open a
  // new connection, which leads to another pod. Idle connections get no answer
  // to say it with: they are closed after a while in which steady clients have
  // been heard. That none is open at a moment does not mean that none comes: a
  // gateway may hear late that the pod is about to go. Then only what is under way
  // is finished.
  async #run(signal, lameDuck, then) {
    this.#stopping = true;
    console.log(`${signal}: ${this.#open.size} requests under way`);
    for (const res of this.#open) lastOfItsConnection(res);
    if (this.#server !== undefined) {
      const begun = Date.now();
      this.#arrived = Math.max(this.#arrived, begun);
      while (Date.now() < begun + lameDuck && !(await this.#quiet())) await sleep(50);
      const closed = new Promise((resolve) => this.#server.close(resolve));
      this.#server.closeIdleConnections();
      await closed;
    }
    await then();
    console.log('all requests answered');
  }

  // No connection is open, and none has come for a while.
  async #quiet() {
    return Date.now() - this.#arrived > quiet && (await connections(this.#server)) === 0;
  }
}

function lastOfItsConnection(res) {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

function connections(server) {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
