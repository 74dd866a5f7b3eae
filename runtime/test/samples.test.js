import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { runSamples } from '../src/samples.js';
import { folder } from './support.js';

const job = { versions: ['v1', 'v2'], pairs: [{ from: 'v1', to: 'v2', request: 'up', response: 'down' }], from: 'v1', to: 'v2' };

test('samples run as in a pod', async () => {
  const dir = await folder({ 'v1-to-v2.js': 'export const up = ({ a }) => { if (!a) throw new Error("no a"); return { b: a }; }; export const down = ({ b }, c) => { c.status = 201; return { a: b }; };' });
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  const got = await runSamples({ ...job, folder: dir, samples: [
    { direction: 'request', body: { a: 1 } }, { direction: 'response', body: { b: 2 } }, { direction: 'request', body: {} }, { direction: 'response', status: 404, body: { error: 'none' } },
  ] });
  assert.deepEqual(got, [
    { body: { b: 1 }, status: 0 }, { body: { a: 2 }, status: 201 }, { error: 'transformer v1→v2, request (up): no a' }, { body: { error: 'none' }, status: 404 },
  ]);
  await assert.rejects(runSamples({ ...job, pairs: [], folder: dir, samples: [] }), /do not lead from v1 to v2/);
  await assert.rejects(runSamples({ ...job, pairs: [{ from: 'v1', to: 'v2', request: 'lost' }], folder: dir, samples: [] }), /no function lost/);
});
