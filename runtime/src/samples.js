// Runs recorded bodies through a chain as a pod would: "kubectl gati version
// test-transformers" calls it in the application's folder.
import { Chain, Message } from './transformers/chain.js';
import { importEngine } from './transformers/engine.js';
import { importTransformers } from './transformers/functions.js';
import { loadPair } from './transformers/load.js';
import { noPairs } from './transformers/pairs.js';

/**
 * @typedef {object} Job
 * @property {string[]} versions
 * @property {import('./transformers/pairs.js').Pair[]} pairs
 * @property {string} from the version that callers speak
 * @property {string} to the version that serves
 * @property {string} [folder] of the transformers; the usual one unless set
 * @property {{direction: 'request' | 'response', status?: number, body: unknown}[]} samples
 */

/**
 * Returns, for each sample, what the chain makes of it or why it fails.
 * @param {Job} job
 * @returns {Promise<({body: unknown, status: number} | {error: string})[]>}
 */
export async function runSamples({ versions, pairs, from, to, folder, samples }) {
  const sources = await importTransformers(folder);
  const loaded = pairs.map((pair) => loadPair(sources, pair));
  const faults = loaded.filter(({ fault }) => fault !== '').map(({ pair, fault }) => `${pair.from}→${pair.to}: ${fault}`);
  if (faults.length > 0) throw new Error(faults.join('; '));
  const chain = new Chain(await importEngine(), { ...noPairs(), versions, pairs }, loaded, { hopTimeout: 5000, maxHops: 10, observe: () => {} });
  if (!chain.serves(from, to)) throw new Error(`the recorded transformers do not lead from ${from} to ${to}`);
  const results = [];
  for (const { direction, status = direction === 'request' ? 0 : 200, body } of samples) {
    const message = new Message(body, { direction, caller: from, serving: to, method: '', path: '', headers: {}, status });
    try {
      const out = await (direction === 'request' ? chain.transformRequest(message, from, to) : chain.transformResponse(message, from, to));
      results.push({ body: out.body, status: out.context.status });
    } catch (error) {
      results.push({ error: error instanceof Error ? error.message : String(error) });
    }
  }
  return results;
}
