// The chain of documents.js on the runtime's engine.
import { Chain, Message } from '../src/transformers/chain.js';
import { importEngine } from '../src/transformers/engine.js';
import { functions, pairs } from './documents.js';

/** @param {(pair: object, seconds: number, ok: boolean) => void} observe */
export async function newChain(observe) {
  const named = /** @type {Record<string, (body: any) => unknown>} */ (functions);
  const loaded = pairs.pairs.map((pair) => ({ pair, request: named[pair.request], response: named[pair.response], fault: '' }));
  return new Chain(await importEngine(), pairs, loaded, { hopTimeout: 1000, maxHops: 10, observe });
}

/** @param {unknown} body */
export function message(body) {
  return new Message(body, { direction: 'request', caller: 'v1', serving: 'v4', method: 'POST', path: '/', headers: {}, status: 200 });
}
