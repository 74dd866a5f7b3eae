// Chains of transformers in hops between adjacent versions.

/**
 * @typedef {import('./pairs.js').Pairs} Pairs
 * @typedef {import('./pairs.js').Pair} Pair
 * @typedef {import('./functions.js').Transform} Transform
 * @typedef {object} Loaded A recorded pair with its functions.
 * @property {Pair} pair
 * @property {Transform} [request]
 * @property {Transform} [response]
 * @property {string} fault why it cannot be used; empty if it can
 */

/** A transformer failed; its message names pair and direction. */
export class TransformerError extends Error {
  name = 'TransformerError';
}

/** A message on its way through a chain. */
export class Message {
  /**
   * @param {unknown} body
   * @param {import('../../index.d.ts').TransformContext} context
   */
  constructor(body, context) {
    this.body = body;
    this.context = context;
  }
}

/** Chain runs the loaded pairs of one state of the pairs' file. */
export class Chain {
  #engine;
  #versions;
  #loaded;
  #maxHops;
  /** @type {Map<string, string>} */
  #stamps;

  /**
   * @param {new (maxHops: number) => import('./engine.js').Engine} Engine
   * @param {Pairs} pairs
   * @param {Loaded[]} loaded
   * @param {{hopTimeout: number, maxHops: number, observe: (pair: Pair, seconds: number, ok: boolean) => void}} options
   */
  constructor(Engine, { versions }, loaded, { hopTimeout, maxHops, observe }) {
    this.#versions = versions;
    this.#maxHops = maxHops;
    this.#loaded = new Map(loaded.filter((l) => l.fault === '').map((l) => [key(l.pair.from, l.pair.to), l]));
    // The engine reads the order of versions from the seconds of their TSVs, which
    // ours need not have, and which may be equal.
    this.#stamps = new Map(versions.map((version, i) => [version, `tsv:${i + 1}-gati-${i + 1}`]));
    this.#engine = new Engine(maxHops);
    for (let i = 0; i + 1 < versions.length; i++) this.#register(versions[i], versions[i + 1], { hopTimeout, observe });
  }

  /**
   * Registers both directions between adjacent versions: {from: old, to: new} is the
   * engine's forward request and backward response, {from: new, to: old} the others.
   * @param {string} older
   * @param {string} newer
   * @param {{hopTimeout: number, observe: (pair: Pair, seconds: number, ok: boolean) => void}} options
   */
  #register(older, newer, options) {
    const up = this.#loaded.get(key(older, newer));
    const down = this.#loaded.get(key(newer, older));
    if (up === undefined && down === undefined) return;
    /** @param {Loaded | undefined} loaded @param {'request' | 'response'} direction */
    const step = (loaded, direction) => (loaded === undefined ? undefined : stepOf(loaded, direction, options));
    this.#engine.register({
      fromVersion: this.#stamp(older), toVersion: this.#stamp(newer), immutable: true, createdAt: 0, createdBy: 'gati-kubernetes',
      forward: { transformRequest: step(up, 'request'), transformResponse: step(down, 'response') },
      backward: { transformRequest: step(down, 'request'), transformResponse: step(up, 'response') },
    });
  }

  /**
   * Reports whether every hop from a caller's version to the serving one is loaded.
   * @param {string} caller
   * @param {string} serving
   */
  serves(caller, serving) {
    const hops = this.hops(caller, serving);
    return hops !== undefined && hops.every((hop) => this.#loaded.has(key(hop.from, hop.to)));
  }

  /**
   * The hops from a caller's version to the serving one; undefined where there is no way.
   * @param {string} caller
   * @param {string} serving
   */
  hops(caller, serving) {
    const from = this.#versions.indexOf(caller);
    const to = this.#versions.indexOf(serving);
    if (from < 0 || to < 0 || Math.abs(from - to) > this.#maxHops) return undefined;
    const step = Math.sign(to - from);
    const hops = [];
    for (let i = from; i !== to; i += step) hops.push({ from: this.#versions[i], to: this.#versions[i + step] });
    return hops;
  }

  /**
   * Reports whether a chain has a function for a direction; without one it is identity.
   * @param {string} caller
   * @param {string} serving
   * @param {'request' | 'response'} direction
   */
  changes(caller, serving, direction) {
    const hops = this.hops(caller, serving) ?? [];
    return hops.some((hop) => this.#loaded.get(key(hop.from, hop.to))?.[direction] !== undefined);
  }

  /**
   * @param {Message} message a request of a caller's version
   * @param {string} caller
   * @param {string} serving
   * @returns {Promise<Message>} as the serving version takes it
   */
  async transformRequest(message, caller, serving) {
    return unwrap(await this.#engine.transformRequest(message, this.#stamp(caller), this.#stamp(serving), [...this.#stamps.values()]));
  }

  /**
   * @param {Message} message a response of the serving version
   * @param {string} caller
   * @param {string} serving
   * @returns {Promise<Message>} as the caller's version gives it
   */
  async transformResponse(message, caller, serving) {
    return unwrap(await this.#engine.transformResponse(message, this.#stamp(serving), this.#stamp(caller), [...this.#stamps.values()]));
  }

  /** @param {string} version */
  #stamp(version) {
    return this.#stamps.get(version) ?? '';
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function key(from, to) {
  return `${from} ${to}`;
}

/**
 * @param {import('./engine.js').Result} result
 * @returns {Message}
 */
function unwrap({ success, data, error }) {
  if (success) return /** @type {Message} */ (data);
  throw error instanceof TransformerError ? error : new TransformerError(error?.message ?? 'the chain failed');
}

/**
 * The step of a chain that calls a function of the application.
 * @param {Loaded} loaded
 * @param {'request' | 'response'} direction
 * @param {{hopTimeout: number, observe: (pair: Pair, seconds: number, ok: boolean) => void}} options
 * @returns {import('./engine.js').Step | undefined}
 */
function stepOf({ pair, ...functions }, direction, { hopTimeout, observe }) {
  const transform = functions[direction];
  if (transform === undefined) return undefined;
  const name = `transformer ${pair.from}→${pair.to}, ${direction} (${pair[direction]})`;
  return async (data) => {
    const { body, context } = /** @type {Message} */ (data);
    // Error bodies are those of no schema: they reach a function only if it asks.
    if (direction === 'response' && context.status >= 400 && !('errors' in transform && transform.errors)) return data;
    const begun = process.hrtime.bigint();
    let ok = false;
    try {
      const out = await within(hopTimeout, transform(body, context));
      if (out === undefined) throw new Error('it returned nothing');
      ok = true;
      return new Message(out, context);
    } catch (error) {
      throw new TransformerError(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
    } finally {
      observe(pair, Number(process.hrtime.bigint() - begun) / 1e9, ok);
    }
  };
}

/**
 * Awaits a value for a limited time. The engine's own limit leaves a timer behind
 * for each hop.
 * @param {number} timeout
 * @param {unknown} value
 */
async function within(timeout, value) {
  if (typeof value !== 'object' || value === null || !('then' in value)) return value;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const expired = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeout} ms`)), timeout);
  });
  try {
    return await Promise.race([value, expired]);
  } finally {
    clearTimeout(timer);
  }
}
