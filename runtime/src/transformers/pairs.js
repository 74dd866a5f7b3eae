// The pairs that Gati records: the file of the ConfigMap that every pod of a handler
// mounts. It may appear, change and go at any time; no restart is needed.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/**
 * @typedef {object} Pair A transformer that serves the callers of from on to.
 * @property {string} from
 * @property {string} to
 * @property {string} [request] the exported function for requests; identity without one
 * @property {string} [response] the exported function for responses
 */

/**
 * @typedef {object} Pairs
 * @property {string} hash of the file's bytes; empty without a file
 * @property {string} contract the version that callers without a version speak; empty if unknown
 * @property {string[]} run the versions that serve callers of the contract without a transformer, the contract itself included
 * @property {{contract: string, run: string[], at: number}} [next] the contract from a moment on: milliseconds since the epoch
 * @property {string[]} versions in the order of admission
 * @property {string[]} live
 * @property {string[]} withoutTraffic live versions that only pins lead to
 * @property {Record<string, string>} tags
 * @property {Pair[]} pairs
 */

/** @returns {Pairs} */
export function noPairs() {
  return { hash: '', contract: '', run: [], next: undefined, versions: [], live: [], withoutTraffic: [], tags: {}, pairs: [] };
}

/**
 * @param {string} text
 * @returns {Pairs}
 */
export function parsePairs(text) {
  const { contract = '', run = [], versions = [], live = [], withoutTraffic = [], tags = {}, pairs = [], next } = JSON.parse(text);
  for (const list of [run, versions, live, withoutTraffic]) {
    if (!isList(list, isText)) throw new Error('run, versions, live and withoutTraffic have to be lists of versions');
  }
  if (!isText(contract) || typeof tags !== 'object' || tags === null) throw new Error('contract has to be a version, tags an object');
  if (!isList(pairs, (p) => isText(p?.from) && isText(p?.to))) throw new Error('each of pairs needs from and to');
  return { hash: createHash('sha256').update(text).digest('hex').slice(0, 16), contract, run, next: parseNext(next), versions, live, withoutTraffic, tags, pairs };
}

/** @param {any} next */
function parseNext(next) {
  if (next === undefined) return undefined;
  const { contract, run = [], at } = next ?? {};
  const moment = Date.parse(at);
  if (!isText(contract) || !isList(run, isText) || Number.isNaN(moment)) throw new Error('next needs the version contract, the list run and the time at');
  return { contract, run, at: moment };
}

/**
 * Returns the pairs with the contract of now. A file reaches each pod at a time of its own, so
 * it tells of a move ahead, and all pods make it at one moment.
 * @param {Pairs} pairs
 * @returns {Pairs}
 */
export function pairsOfNow(pairs) {
  const { next } = pairs;
  return next === undefined || Date.now() < next.at ? pairs : { ...pairs, contract: next.contract, run: next.run, next: undefined };
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === 'string';
}

/**
 * @param {unknown} value
 * @param {(item: any) => boolean} isItem
 */
function isList(value, isItem) {
  return Array.isArray(value) && value.every(isItem);
}

/** PairsFile follows the file of the pairs. */
export class PairsFile {
  #path;
  #text = '';
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {string} path */
  constructor(path) {
    this.#path = path;
  }

  /**
   * Calls changed with each new content. A content that cannot be read is logged
   * once, and the last good one stays.
   * @param {(pairs: Pairs) => void} changed
   */
  async follow(changed) {
    await this.#read(changed);
    // By content: a mounted ConfigMap is a symbolic link that is replaced, which
    // watchers of files miss.
    this.#timer = setInterval(() => void this.#read(changed), 1000);
    this.#timer.unref();
  }

  close() {
    clearInterval(this.#timer);
  }

  /** @param {(pairs: Pairs) => void} changed */
  async #read(changed) {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    if (text === this.#text) return;
    this.#text = text;
    try {
      changed(text === '' ? noPairs() : parsePairs(text));
    } catch (error) {
      console.error(`${this.#path} cannot be read, the pairs before it stay: ${error instanceof Error ? error.message : error}`);
    }
  }
}
