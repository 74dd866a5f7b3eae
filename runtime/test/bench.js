// Prints the time of one hop: of the function alone as /metrics counts it, and of the
// chain with the engine around it. The budget is a p99 of 0.2 ms.
import { performance } from 'node:perf_hooks';

import { message, newChain } from './chain.js';
import { documentOfV1, random } from './documents.js';

const rounds = 20_000;
const hops = 3;

/** @type {number[]} */
const functions = [];
const chain = await newChain((_, seconds) => functions.push(seconds * 1000));
const next = random(11);
const documents = Array.from({ length: rounds }, () => documentOfV1(next));

/** @type {number[]} */
const chains = [];
for (const document of documents) {
  const begun = performance.now();
  const up = await chain.transformRequest(message(document), 'v1', 'v4');
  await chain.transformResponse(message(up.body), 'v1', 'v4');
  chains.push((performance.now() - begun) / (2 * hops));
}

/** @param {string} name @param {number[]} times */
function print(name, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(4);
  console.log(`${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, of ${sorted.length}`);
}

print('hop with the engine', chains);
print('function alone', functions);
