import assert from 'node:assert/strict';
import { test } from 'node:test';

import { message, newChain } from './chain.js';
import { documentOfV1, random } from './documents.js';

test('10,000 random documents go up a chain of three and come down equal', async () => {
  let hops = 0;
  const chain = await newChain(() => hops++);
  const next = random(7);
  for (let i = 0; i < 10_000; i++) {
    const document = documentOfV1(next);
    const up = await chain.transformRequest(message(structuredClone(document)), 'v1', 'v4');
    const shape = /** @type {Record<string, unknown>} */ (up.body);
    assert.ok('fullName' in shape && 'places' in shape && !('name' in shape) && !('addresses' in shape));
    const down = await chain.transformResponse(message(up.body), 'v1', 'v4');
    assert.deepEqual(down.body, document);
  }
  assert.equal(hops, 60_000);
});
