import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { createApp, HandlerError } from '@gati-framework/runtime';

import { attach } from '../src/index.js';
import { ask, becomes, errorLog, freePort, series, start } from './support.js';

test('health, metrics and versions are answered without a line of the application', async (t) => {
  const { url } = await start(t, (app) => app.get('/users/:id', (req, res) => res.json({ id: req.params.id })));
  assert.equal((await ask(`${url}/health`)).status, 200);
  assert.deepEqual((await ask(`${url}/users/7`)).json, { id: '7' });
  assert.equal((await ask(`${url}/gati/versions`)).json.contract, '');
  const got = await series(url);
  assert.equal(got['gati_http_requests_total{method="GET",route="/users/:id",status_code="200"}'], 1);
  assert.equal(got['gati_active_connections'], 1, 'the one that asks');
});

test('routes of the application win over those of the package', async (t) => {
  const { url } = await start(t, (app) => app.get('/health', (_req, res) => res.status(418).json({})));
  assert.equal((await ask(`${url}/health`)).status, 418);
});

test('a failed health check makes the pod unready', async (t) => {
  /** @type {'pass' | 'fail'} */
  let status = 'fail';
  const { url } = await start(t, (app) => app.getGlobalContext().lifecycle.onHealthCheck('db', async () => ({ status, message: 'no connection' })));
  const { status: code, text } = await ask(`${url}/health`);
  assert.equal(code, 503);
  assert.match(text, /no connection/);
  status = 'pass';
  assert.equal((await ask(`${url}/health`)).status, 200);
});

test('paths of a GatiHandler', async (t) => {
  const { url } = await start(t, (app) => {
    app.get('/items/[id]', (req, res) => res.json(req.params));
    app.get('/files/*', (req, res) => res.json(req.params));
    app.post('/only/post', (_req, res) => res.json({}));
  });
  assert.deepEqual((await ask(`${url}/items/1`)).json, { id: '1' });
  assert.deepEqual((await ask(`${url}/files/a/b`)).json, { '*': 'a/b' });
  assert.deepEqual((await ask(`${url}/items/1/`)).json, { id: '1' });
  assert.equal((await ask(`${url}/files`)).status, 200);
  assert.equal((await ask(`${url}/filesystem`)).status, 404);
  assert.equal((await ask(`${url}/items/%FF`)).status, 400);
  const head = await ask(`${url}/items/1`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '10']);
  assert.equal((await ask(`${url}/only/post`, { method: 'HEAD' })).status, 404);
});

test('a body arrives whole up to its limit', async (t) => {
  const { url } = await start(t, (app) => app.post('/', (req, res) => res.json({ got: req.body, raw: req.rawBody?.length })), { bodyLimit: 20 });
  const headers = { 'Content-Type': 'application/json' };
  assert.deepEqual((await ask(url, { headers, body: '{"a":"äöü"}' })).json, { got: { a: 'äöü' }, raw: 11 });
  assert.deepEqual((await ask(url, { headers: { ...headers, 'Transfer-Encoding': 'chunked' }, body: '{"a":1}' })).json, { got: { a: 1 }, raw: 7 });
  assert.equal((await ask(url, { headers, body: `{"a":"${'x'.repeat(20)}"}` })).status, 413);
  assert.equal((await ask(url, { headers: { 'Transfer-Encoding': 'chunked' }, body: 'x'.repeat(21) })).status, 413);
  assert.deepEqual((await ask(url, { body: 'plain', headers: { 'Content-Type': 'text/plain' } })).json, { got: 'plain', raw: 5 });
});

test('what a handler throws is logged, unless it is the client\'s fault', async (t) => {
  const log = errorLog(t);
  const { url } = await start(t, (app) => {
    app.get('/broken', () => { throw new Error('the hidden reason'); });
    app.get('/refused', () => { throw new HandlerError('not so', 409); });
  });
  assert.equal((await ask(`${url}/broken`)).status, 500);
  assert.equal((await ask(`${url}/refused`)).status, 409);
  assert.match(log(), /GET \/broken failed: Error: the hidden reason/);
  assert.doesNotMatch(log(), /not so/);
});

test('a handler that takes too long is ended', async (t) => {
  const log = errorLog(t);
  const { url } = await start(t, (app) => app.get('/', () => new Promise(() => {})), { handlerTimeout: '50ms' });
  assert.equal((await ask(url)).status, 504);
  assert.match(log(), /did not answer within 50 ms/);
});

test('a client that disconnects in its body costs nothing', async (t) => {
  const { url } = await start(t, (app) => app.post('/', (_req, res) => res.json({})));
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
  await becomes('the request has arrived', async () => (await series(url))['gati_active_connections'] === 2);
  socket.destroy();
  await becomes('it is off the gauge', async () => (await series(url))['gati_active_connections'] === 1);
  assert.equal((await series(url))['gati_errors_total{type="aborted",route="/"}'], 1);
});

test('modules of the environment are reached by host and port', async (t) => {
  const directory = await start(t, (app) => app.post('/find', (req, res) => res.json({ found: /** @type {any} */ (req.body).args })));
  const { hostname, host, port } = new URL(directory.url);
  const given = { GATI_MODULE_USER_DIRECTORY: hostname, GATI_MODULE_USER_DIRECTORY__PORT: port, GATI_MODULE_OTHER: host };
  Object.assign(process.env, given);
  t.after(() => { for (const name of Object.keys(given)) delete process.env[name]; });
  const { url } = await start(t, (app) => app.get('/:id', async (req, res, gctx) => {
    const modules = /** @type {any} */ (gctx.modules);
    res.json({ names: Object.keys(modules), all: [await modules['user-directory'].find(req.params.id, true), await modules.other.find('8')] });
  }));
  const answer = (await ask(`${url}/7`)).json;
  assert.deepEqual(answer.all, [{ found: ['7', true] }, { found: ['8'] }]);
  assert.ok(!answer.names.some((/** @type {string} */ name) => name.includes('port')), answer.names);
});

test('a stop serves open connections, and tells them to leave', async (t) => {
  const program = await start(t, (app) => app.get('/', async (_req, res) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    res.json({});
  }), { lameDuck: '10m' });
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  /** @returns {Promise<http.IncomingMessage>} */
  const get = () => new Promise((resolve, reject) => http.get(program.url, { agent }, (res) => resolve(res.resume())).on('error', reject));
  const before = await get();
  assert.equal(before.headers.connection, 'keep-alive');
  const during = get();
  await becomes('it is in flight', async () => (await series(program.url))['gati_active_connections'] === 2);
  const stopped = program.stop();
  assert.equal((await ask(`${program.url}/health`)).status, 200);
  assert.equal((await during).headers.connection, 'close');
  await stopped;
  await assert.rejects(ask(program.url));
});

test('attach gives the same to an application that the program makes', async (t) => {
  const port = await freePort();
  const app = createApp({ port, host: '127.0.0.1', logging: false });
  app.get('/items/[id]', (req, res) => res.json(req.params));
  const program = attach(app, { lameDuck: 0, pairsFile: '/none' });
  t.after(() => program.stop());
  await app.listen();
  const url = `http://127.0.0.1:${port}`;
  assert.equal((await ask(`${url}/health`)).status, 200);
  assert.deepEqual((await ask(`${url}/items/3`)).json, { id: '3' });
  assert.throws(() => attach(app), /before app.listen/);
});
