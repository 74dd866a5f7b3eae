// A recorded pair together with the functions that it names.
import { findFunction } from './functions.js';

/**
 * @param {import('./functions.js').Source[]} sources
 * @param {import('./pairs.js').Pair} pair
 * @returns {import('./chain.js').Loaded}
 */
export function loadPair(sources, pair) {
  const request = findFunction(sources, pair, 'request');
  const response = findFunction(sources, pair, 'response');
  return { pair, request: request.transform, response: response.transform, fault: request.fault || response.fault };
}
