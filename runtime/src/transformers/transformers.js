// The transformers of a pod: what is recorded, what of it the application has, and
// what was run.
import { Counter, Gauge, Histogram } from 'prom-client';

import { Chain } from './chain.js';
import { decideCaller, findVersion, namedVersion } from './caller.js';
import { importEngine } from './engine.js';
import { Exchange } from './exchange.js';
import { importTransformers } from './functions.js';
import { loadPair } from './load.js';
import { noPairs, pairsOfNow, PairsFile } from './pairs.js';

/** Transformers serves the callers of other versions. */
export class Transformers {
  #settings;
  #metrics;
  #connections;
  #file;
  #pairs = noPairs();
  /** @type {NodeJS.Timeout | undefined} */
  #move;
  /** @type {import('./chain.js').Loaded[]} */
  #loaded = [];
  /** @type {Chain | undefined} */
  #chain;

  /**
   * @param {import('../options.js').Settings} settings
   * @param {import('prom-client').Registry} registry
   * @param {import('../connections.js').Connections} connections
   */
  constructor(settings, registry, connections) {
    this.#settings = settings;
    this.#connections = connections;
    this.#metrics = newMetrics(registry);
    this.#file = new PairsFile(settings.pairsFile);
  }

  /** Imports the application's functions and begins to follow the recorded pairs. */
  async load() {
    const { transformers } = this.#settings;
    const sources = typeof transformers === 'object' ? [{ file: 'options.transformers', exports: { ...transformers } }] : await importTransformers(transformers);
    const Engine = await importEngine();
    await this.#file.follow((pairs) => {
      const loaded = pairs.pairs.map((pair) => loadPair(sources, pair));
      this.#chain = new Chain(Engine, pairs, loaded, {
        hopTimeout: this.#settings.hopTimeout, maxHops: this.#settings.maxHops, observe: (pair, seconds, ok) => this.#observe(pair, seconds, ok),
      });
      this.#pairs = pairs;
      this.#loaded = loaded;
      this.#report();
      void this.#reportFile(pairs);
    });
  }

  /**
   * Reports whether a request names a version that is known.
   * @param {import('node:http').IncomingMessage} req
   */
  isPinned(req) {
    const named = namedVersion(req);
    return named !== undefined && findVersion(this.#pairs, named) !== undefined;
  }

  /**
   * What is to be done about the version of a request's caller; undefined if nothing.
   * @param {import('node:http').IncomingMessage} req
   * @param {string} path
   */
  begin(req, path) {
    const chain = this.#chain;
    const serving = this.#settings.version;
    if (chain === undefined || serving === '') return undefined;
    const { caller, refusal } = decideCaller(this.#pairsOfNow(), serving, namedVersion(req), (from, to) => chain.serves(from, to));
    if (refusal !== undefined) return { refusal };
    if (caller === serving) return undefined;
    return new Exchange({
      chain, caller, serving, answerLimit: this.#settings.answerLimit,
      countUntouched: (direction, reason) => this.#metrics.untouched.inc({ direction, reason }),
    }, req, path);
  }

  #pairsOfNow() {
    if (this.#pairs.next !== undefined) this.#pairs = pairsOfNow(this.#pairs);
    return this.#pairs;
  }

  /** @param {import('@gati-framework/runtime').GatiApp} app */
  addRoute(app) {
    app.get('/gati/versions', (_req, res) => res.json(this.#describe()));
  }

  #describe() {
    const { hash, contract, run, versions, live, withoutTraffic, tags } = this.#pairsOfNow();
    const { version } = this.#settings;
    return {
      version, contract, hash, run, versions, live, withoutTraffic, tags,
      pairs: this.#loaded.map(({ pair, fault }) => ({ ...pair, loaded: fault === '', ...(fault === '' ? {} : { fault }) })),
      serves: versions.filter((caller) => caller === version || this.#chain?.serves(caller, version)),
    };
  }

  /**
   * @param {import('./pairs.js').Pair} pair
   * @param {number} seconds
   * @param {boolean} ok
   */
  #observe({ from, to }, seconds, ok) {
    this.#metrics.executions.inc({ from_version: from, to_version: to, success: String(ok) });
    this.#metrics.duration.observe({ from_version: from, to_version: to }, seconds);
  }

  #report() {
    const { loaded } = this.#metrics;
    loaded.reset();
    for (const { pair, fault } of this.#loaded) {
      loaded.set({ from: pair.from, to: pair.to }, fault === '' ? 1 : 0);
      if (fault !== '') console.error(`transformer ${pair.from}→${pair.to} is recorded and cannot run: ${fault}`);
    }
  }

  // A version without traffic reports the file once its connections are closed: the
  // contract waits for that.
  /** @param {import('./pairs.js').Pairs} pairs */
  async #reportFile(pairs) {
    clearTimeout(this.#move);
    if (pairs.withoutTraffic.includes(this.#settings.version)) await this.#connections.close();
    else this.#connections.keep();
    if (pairs.hash !== this.#pairs.hash) return;
    const { info } = this.#metrics;
    const { contract, hash, next } = this.#pairsOfNow();
    info.reset();
    if (hash !== '') info.set({ contract, hash }, 1);
    if (next !== undefined) this.#move = setTimeout(() => void this.#reportFile(this.#pairsOfNow()), Math.min(next.at - Date.now() + 1, 60_000)).unref();
  }
}

/** @param {import('prom-client').Registry} registry */
function newMetrics(registry) {
  const registers = [registry];
  const versions = /** @type {const} */ (['from_version', 'to_version']);
  return {
    executions: new Counter({
      name: 'gati_timescape_transformer_executions_total', help: 'Hops that ran a function.', labelNames: [...versions, 'success'], registers,
    }),
    duration: new Histogram({
      name: 'gati_timescape_transformer_duration_seconds', help: 'Time of one hop.', labelNames: versions, registers,
      buckets: [0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1],
    }),
    untouched: new Counter({
      name: 'gati_timescape_transformer_untouched_total', help: 'Bodies that a chain would have changed and that are not JSON.',
      labelNames: /** @type {const} */ (['direction', 'reason']), registers,
    }),
    loaded: new Gauge({
      name: 'gati_timescape_transformer_loaded', help: 'Recorded transformers: 1 where the application has the functions, else 0.',
      labelNames: /** @type {const} */ (['from', 'to']), registers,
    }),
    info: new Gauge({
      name: 'gati_timescape_transformers_info', help: 'The contract and the hash of the pairs that the pod holds.',
      labelNames: /** @type {const} */ (['contract', 'hash']), registers,
    }),
  };
}
