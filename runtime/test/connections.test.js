import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';

import { Connections } from '../src/connections.js';

import { becomes, folder, series, start } from './support.js';

const both = { contract: 'v1', versions: ['v1', 'v2'], live: ['v1', 'v2'], pairs: [{ from: 'v1', to: 'v2' }] };

/**
 * Version v1 with a file of pairs that changes, and clients that keep one connection each.
 * @param {import('node:test').TestContext} t
 * @param {import('../index.d.ts').Options} [options]
 */
async function kept(t, options = {}) {
  const pairsFile = join(await folder({ 'transformers.json': JSON.stringify(both) }), 'transformers.json');
  /** @type {{ended: () => void}} */
  const slow = { ended: () => {} };
  const { url } = await start(t, (app) => {
    app.get('/', (_req, res) => res.json({ name: 'Ada' }));
    app.get('/slow', async (_req, res) => {
      await new Promise((resolve) => (slow.ended = () => resolve(undefined)));
      res.json({});
    });
  }, { version: 'v1', pairsFile, lameDuck: '300ms', ...options });
  /** @param {object} pairs */
  const tell = async (pairs) => {
    await writeFile(`${pairsFile}.new`, JSON.stringify({ ...both, ...pairs }));
    await rename(`${pairsFile}.new`, pairsFile);
  };
  const info = async () => Object.keys(await series(url)).find((name) => name.startsWith('gati_timescape_transformers_info')) ?? '';
  /** @param {Record<string, string>} headers */
  const client = (headers = {}) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    /** @returns {Promise<{status: number | undefined, connection: string | undefined}>} */
    const get = (path = '/') => new Promise((resolve, reject) => {
      http.get(`${url}${path}`, { agent, headers }, (res) => {
        res.resume().on('end', () => resolve({ status: res.statusCode, connection: res.headers.connection }));
      }).on('error', reject);
    });
    return { get, isOpen: () => Object.keys(agent.freeSockets).length > 0 };
  };
  return { tell, info, client, url, slow };
}

test('a version without traffic lets go of callers without a version before it reports so', async (t) => {
  const { tell, info, client, slow, url } = await kept(t);
  const [idle, busy, working, pinned] = [client(), client(), client(), client({ 'X-Gati-Version': 'v1' })];
  for (const c of [idle, busy, pinned]) assert.deepEqual(await c.get(), { status: 200, connection: 'keep-alive' });
  const answer = working.get('/slow');
  await becomes('it is in flight', async () => (await series(url))['gati_active_connections'] === 2);

  const before = await info();
  await tell({ withoutTraffic: ['v1'] });
  await becomes('answers close', async () => (await busy.get()).connection === 'close');
  assert.equal(await info(), before, 'a connection is still open that would meet the next contract');
  await becomes('the file is reported', async () => (await info()) !== before);
  assert.equal(idle.isOpen(), false);
  slow.ended();
  assert.equal((await answer).connection, 'close');
  assert.equal(pinned.isOpen(), true, 'a pin leads here');
  assert.equal((await pinned.get()).connection, 'keep-alive');

  await tell({});
  await becomes('connections are kept again', async () => (await busy.get()).connection === 'keep-alive');
});

test('other versions keep their connections', async (t) => {
  const { tell, info, client } = await kept(t);
  const caller = client();
  const before = await info();
  await tell({ withoutTraffic: ['v2'] });
  await becomes('the file is reported', async () => (await info()) !== before);
  assert.equal((await caller.get()).connection, 'keep-alive');
});

test('a pod that cannot serve a caller keeps no connection', async (t) => {
  const { tell, client } = await kept(t);
  const [caller, misled] = [client(), client({ 'X-Gati-Version': 'v2' })];
  assert.deepEqual(await misled.get(), { status: 421, connection: 'close' });
  await tell({ contract: 'v2', run: ['v2'] });
  await becomes('the contract is v2', async () => (await caller.get()).status === 500);
  assert.equal((await caller.get()).connection, 'close');
});

test('a connection of a caller without a version serves for a while, one of a pin for as long as it lasts', async (t) => {
  const connections = new Connections(300, 100);
  const server = http.createServer((req, res) => {
    connections.watch(req.socket, res, req.headers['x-gati-version'] !== undefined);
    res.end();
  });
  connections.begin(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  /** @param {Record<string, string>} headers */
  const client = (headers) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    /** @returns {Promise<string | undefined>} */
    return () => new Promise((resolve, reject) => {
      http.get({ port, agent, headers }, (res) => res.resume().on('end', () => resolve(res.headers.connection))).on('error', reject);
    });
  };
  const plain = client({});
  const pinned = client({ 'x-gati-version': 'v1' });
  assert.deepEqual([await plain(), await pinned()], ['keep-alive', 'keep-alive']);
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.deepEqual([await plain(), await pinned()], ['close', 'keep-alive']);
  assert.equal(await plain(), 'keep-alive');
});
