import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { ask, becomes, errorLog, folder, series, start } from './support.js';

const headers = { 'Content-Type': 'application/json' };

/** Functions of a chain of three: v1 has name, v2 given and family, v3 nests them. */
const functions = {
  up12: (/** @type {any} */ { name, ...rest }) => ({ ...rest, given: name.split(' ')[0], family: name.split(' ')[1] }),
  down21: (/** @type {any} */ { given, family, ...rest }) => ({ ...rest, name: `${given} ${family}` }),
  up23: (/** @type {any} */ { given, family, ...rest }) => ({ ...rest, who: { given, family } }),
  down32: async (/** @type {any} */ { who, ...rest }) => ({ ...rest, ...who }),
};

const chain = {
  contract: 'v1', versions: ['v1', 'v2', 'v3'], live: ['v2', 'v3'], tags: { old: 'v1' },
  pairs: [{ from: 'v1', to: 'v2', request: 'up12', response: 'down21' }, { from: 'v2', to: 'v3', request: 'up23', response: 'down32' }],
};

/**
 * An application of a version that echoes, with recorded pairs.
 * @param {import('node:test').TestContext} t
 * @param {object} pairs
 * @param {import('../index.d.ts').Options} [options]
 */
async function echo(t, pairs, options = {}) {
  const dir = await folder({ 'transformers.json': JSON.stringify(pairs) });
  const pairsFile = join(dir, 'transformers.json');
  const program = await start(t, (app) => {
    app.post('/echo', (req, res) => {
      const body = /** @type {any} */ (req.body);
      res.status(201).json({ ...body, sawName: body?.name });
    });
    app.post('/raw', (req, res) => {
      res.raw.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
      res.raw.write('{"given":"Ada",');
      res.raw.end('"family":"Lovelace"}');
    });
    app.get('/text', (_req, res) => res.text('given'));
    app.get('/empty', (_req, res) => { res.status(204).end(); });
    app.get('/missing', (_req, res) => { res.status(404).json({ error: 'none' }); });
    app.get('/lies', (_req, res) => { res.header('Content-Type', 'application/json').send('{"given":'); });
    app.get('/user', (_req, res) => res.json({ given: 'Ada', family: 'Lovelace', who: { given: 'Ada', family: 'Lovelace' } }));
  }, { version: 'v2', transformers: functions, pairsFile, ...options });
  return { ...program, pairsFile };
}

test('requests go up and responses come down, in hops', async (t) => {
  const { url } = await echo(t, chain, { version: 'v3' });
  const { status, json, headers: got } = await ask(`${url}/echo`, { headers, body: '{"name":"Ada Lovelace","note":"x"}' });
  assert.equal(status, 201);
  assert.deepEqual(json, { name: 'Ada Lovelace', note: 'x' });
  assert.equal(got.vary, 'X-Gati-Version');
  const counted = await series(url);
  assert.equal(counted['gati_timescape_transformer_executions_total{from_version="v1",to_version="v2",success="true"}'], 2);
  assert.equal(counted['gati_timescape_transformer_duration_seconds_count{from_version="v2",to_version="v3"}'], 2);
});

test('a header or tag names the caller\'s version; an unknown one is the contract', async (t) => {
  const { url } = await echo(t, chain);
  /** @param {string} version */
  const as = async (version) => (await ask(`${url}/user`, { headers: { 'X-Gati-Version': version } })).json;
  const v1 = { name: 'Ada Lovelace', who: { given: 'Ada', family: 'Lovelace' } };
  assert.deepEqual(await as('v1'), v1);
  assert.deepEqual(await as('old'), v1);
  assert.deepEqual(await as('nonsense'), v1);
  assert.deepEqual((await ask(`${url}/user`)).json, v1);
  assert.deepEqual(await as('v2'), { given: 'Ada', family: 'Lovelace', who: { given: 'Ada', family: 'Lovelace' } });
});

test('a version that cannot be served is refused, and the live ones are named', async (t) => {
  const { url } = await echo(t, chain);
  const live = await ask(`${url}/user`, { headers: { 'X-Gati-Version': 'v3' } });
  assert.deepEqual([live.status, live.json.live], [421, ['v2', 'v3']]);
  const gone = await echo(t, { ...chain, live: ['v2'] });
  assert.equal((await ask(`${gone.url}/user`, { headers: { 'X-Gati-Version': 'v3' } })).status, 410);
  const unlisted = await echo(t, { ...chain, live: [] });
  assert.equal((await ask(`${unlisted.url}/user`, { headers: { 'X-Gati-Version': 'v3' } })).status, 421);
  const lacking = await echo(t, { ...chain, pairs: [] });
  assert.equal((await ask(`${lacking.url}/user`)).status, 500, 'never its own shape');
  assert.equal((await ask(`${lacking.url}/health`)).status, 200, 'which no version speaks');
});

test('a newer caller is served where a pair leads back', async (t) => {
  const { url } = await echo(t, { ...chain, pairs: [...chain.pairs, { from: 'v3', to: 'v2', request: 'down32', response: 'up23' }] });
  const { json } = await ask(`${url}/echo`, { headers: { ...headers, 'X-Gati-Version': 'v3' }, body: '{"who":{"given":"Ada","family":"L"}}' });
  assert.deepEqual(json, { who: { given: 'Ada', family: 'L' } });
});

test('within a run the contract is served as it is', async (t) => {
  const { url } = await echo(t, { ...chain, pairs: [], contract: 'v1', run: ['v1', 'v2'] });
  assert.equal((await ask(`${url}/user`)).json.given, 'Ada');
});

test('what is not JSON passes, and is counted', async (t) => {
  const { url } = await echo(t, chain);
  assert.equal((await ask(`${url}/text`)).text, 'given');
  assert.equal((await ask(`${url}/empty`)).status, 204);
  assert.deepEqual((await ask(`${url}/missing`)).json, { error: 'none' }, 'an error has no schema');
  assert.equal((await ask(`${url}/echo`, { headers: { 'Content-Type': 'text/plain' }, body: 'x' })).status, 201);
  assert.equal((await ask(`${url}/raw`, { headers, body: '{' })).json.name, 'Ada Lovelace');
  const counted = await series(url);
  assert.equal(counted['gati_timescape_transformer_untouched_total{direction="response",reason="not-json"}'], 1);
  assert.equal(counted['gati_timescape_transformer_untouched_total{direction="request",reason="not-json"}'], 2);
});

test('a transformer that fails is a 500, never half a body', async (t) => {
  const log = errorLog(t);
  /** @type {[Record<string, unknown>, RegExp][]} */
  const cases = [
    [{ ...functions, down21: () => { throw new Error('no family'); } }, /v1→v2, response \(down21\): no family/],
    [{ ...functions, down21: () => undefined }, /response \(down21\): it returned nothing/],
    [{ ...functions, down21: () => new Promise(() => {}) }, /longer than 50 ms/],
    [{ ...functions, down21: () => () => {} }, /not JSON/],
    [{ ...functions, up12: async () => { throw new Error('no name'); } }, /POST \/raw of a caller of v1 on v2, request: .*v1→v2, request \(up12\): no name/],
  ];
  for (const [transformers, want] of cases) {
    const { url } = await echo(t, chain, { transformers, hopTimeout: 50 });
    const { status, json } = await ask(`${url}/raw`, { headers, body: '{"name":"a b"}' });
    assert.deepEqual([status, json], [500, { error: 'Internal Server Error' }]);
    assert.match(log(), want);
  }
  const { url } = await echo(t, chain);
  assert.equal((await ask(`${url}/lies`)).status, 500);
  assert.equal((await ask(`${url}/echo`, { headers, body: '{"a":1}' })).status, 500, 'the function threw');
  assert.equal((await series(url))['gati_timescape_transformer_executions_total{from_version="v1",to_version="v2",success="false"}'], 1);
});

test('an answer beyond its limit is a 500', async (t) => {
  const log = errorLog(t);
  const { url } = await echo(t, chain, { answerLimit: 20 });
  assert.equal((await ask(`${url}/user`)).status, 500);
  assert.match(log(), /more than 20 bytes/);
});

test('a function may set the status, and asks for errors', async (t) => {
  const errors = Object.assign((/** @type {any} */ body, /** @type {any} */ context) => {
    context.status = 410;
    return { message: body.error };
  }, { errors: true });
  const { url } = await echo(t, chain, { transformers: { ...functions, down21: errors } });
  const { status, json } = await ask(`${url}/missing`);
  assert.deepEqual([status, json], [410, { message: 'none' }]);
});

test('a chain has a limit', async (t) => {
  const { url } = await echo(t, chain, { version: 'v3', maxHops: 1 });
  assert.equal((await ask(`${url}/user`)).status, 500);
  assert.equal((await ask(`${url}/user`, { headers: { 'X-Gati-Version': 'v2' } })).status, 200);
});

test('the pod tells which pairs it holds', async (t) => {
  const log = errorLog(t);
  const { url } = await echo(t, { ...chain, pairs: [chain.pairs[0], { from: 'v2', to: 'v3', request: 'up23', response: 'lost' }] });
  const counted = await series(url);
  assert.equal(counted['gati_timescape_transformer_loaded{from="v1",to="v2"}'], 1);
  assert.equal(counted['gati_timescape_transformer_loaded{from="v2",to="v3"}'], 0, 'never identity');
  const { json } = await ask(`${url}/gati/versions`);
  assert.deepEqual(json.serves, ['v1', 'v2']);
  assert.equal(json.pairs[1].fault, 'no function lost is exported');
  assert.match(log(), /v2→v3 is recorded and cannot run/);
  assert.equal(counted[`gati_timescape_transformers_info{contract="v1",hash="${json.hash}"}`], 1);
});

test('a change of the file takes effect without a restart', async (t) => {
  const log = errorLog(t);
  const { url, pairsFile } = await echo(t, { ...chain, contract: 'v2' });
  assert.equal((await ask(`${url}/user`)).json.given, 'Ada');
  await writeFile(`${pairsFile}.new`, JSON.stringify(chain));
  await rename(`${pairsFile}.new`, pairsFile);
  await becomes('the contract is v1', async () => (await ask(`${url}/user`)).json.name === 'Ada Lovelace');
  await writeFile(pairsFile, '{"pairs": 1}');
  await becomes('the fault is logged', () => /cannot be read/.test(log()));
  assert.equal((await ask(`${url}/user`)).json.name, 'Ada Lovelace');
});

test('the contract moves at the moment that the file tells of', async (t) => {
  const { url, pairsFile } = await echo(t, chain);
  const at = Date.now() + 2500;
  await writeFile(`${pairsFile}.new`, JSON.stringify({ ...chain, next: { contract: 'v2', run: ['v2'], at: new Date(at).toISOString() } }));
  await rename(`${pairsFile}.new`, pairsFile);
  let told = 0;
  while (Date.now() < at + 300) {
    const asked = Date.now();
    const { json } = await ask(`${url}/user`);
    if (Date.now() < at) assert.equal(json.name, 'Ada Lovelace');
    if (asked >= at) assert.equal(json.given, 'Ada');
    if (asked < at) told = Math.max(told, (await ask(`${url}/gati/versions`)).json.contract === 'v1' ? asked : 0);
  }
  assert.ok(told > at - 1000, 'the pod has read the file, and answers by the contract before');
  const { json } = await ask(`${url}/gati/versions`);
  assert.equal(json.contract, 'v2');
  const { hash } = json;
  await becomes('the move is reported', async () => (await series(url))[`gati_timescape_transformers_info{contract="v2",hash="${hash}"}`] === 1);
});

test('functions are found in files, the pair\'s own first', async (t) => {
  errorLog(t);
  const transformers = await folder({
    'users-v1-to-v2.js': 'export const down = ({ given, family, who }) => ({ name: `${given} ${family}`, who });',
    'others.mjs': 'export const down = () => "wrong"; export const twice = 1; export const pair = { forward: { transformRequest: (b) => b }, backward: { transformResponse: (b) => ({ nested: b.given }) } };',
    'broken.js': 'export const x = ;',
    'notes.md': 'no code',
    'a.test.js': 'throw new Error("never imported")',
    'one.js': 'export const same = (b) => b;',
    'two.js': 'export const same = (b) => b;',
  });
  await writeFile(join(transformers, 'package.json'), '{"type":"module"}');
  const { url } = await echo(t, { ...chain, pairs: [{ from: 'v1', to: 'v2', response: 'down' }] }, { transformers });
  assert.equal((await ask(`${url}/user`)).json.name, 'Ada Lovelace');
  const made = await echo(t, { ...chain, pairs: [{ from: 'v1', to: 'v2', request: 'pair', response: 'pair' }] }, { transformers });
  assert.deepEqual((await ask(`${made.url}/user`)).json, { nested: 'Ada' });
  const led = await echo(t, { ...chain, pairs: [{ from: 'v1', to: 'v2', response: 'pair.backward.transformResponse' }] }, { transformers });
  assert.deepEqual((await ask(`${led.url}/user`)).json, { nested: 'Ada' });
  const ambiguous = await echo(t, { ...chain, pairs: [{ from: 'v1', to: 'v2', response: 'same' }] }, { transformers });
  assert.match((await ask(`${ambiguous.url}/gati/versions`)).json.pairs[0].fault, /one\.js and two\.js/);
});

test('a version in the query chooses as one in the header does', async (t) => {
  const { url } = await echo(t, { ...chain, contract: 'v2' });
  assert.deepEqual((await ask(`${url}/user?version=v1`)).json, { who: { given: 'Ada', family: 'Lovelace' }, name: 'Ada Lovelace' });
  assert.deepEqual((await ask(`${url}/user?a=1&version=old`)).json, { who: { given: 'Ada', family: 'Lovelace' }, name: 'Ada Lovelace' });
  assert.equal((await ask(`${url}/user?version=v3`)).status, 421);
  assert.equal((await ask(`${url}/user?version=unknown`)).json.given, 'Ada');
  assert.equal((await ask(`${url}/user?version=v1`, { headers: { 'X-Gati-Version': 'v2' } })).json.given, 'Ada', 'the header wins');
});

test('each answer names the version that served it', async (t) => {
  const { url } = await echo(t, chain);
  for (const path of ['/user', '/user/', '/empty', '/text', '/none', '/health', '/user?version=v3']) {
    assert.equal((await ask(url + path)).headers['x-gati-version'], 'v2', path);
  }
  assert.equal((await ask(`${url}/raw`, { body: '{}', headers })).headers['x-gati-version'], 'v2');
  assert.equal((await ask(`${url}/user/`)).status, 200);
});
