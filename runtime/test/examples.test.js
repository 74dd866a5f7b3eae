// Applications in the forms of upstream's examples: every route of them answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandlerError } from '@gati-framework/runtime';

import { addModule } from '../src/index.js';
import { ask, start } from './support.js';

/**
 * @param {string} url
 * @param {[request: string, body: object | undefined, status: number, answer: object | undefined][]} cases
 */
async function askAll(url, cases) {
  for (const [request, body, status, answer] of cases) {
    const [method, path] = request.split(' ');
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const got = await ask(url + path, { method, ...sent });
    assert.equal(got.status, status, `${request}: ${got.text}`);
    if (answer !== undefined) assert.deepEqual(got.json, answer, request);
  }
}

// runtime-examples: a module as a plain object, several handlers in a file, routes in code.
// Its createE2EIntegration is no export of the published runtime.
test('the form of runtime-examples', async (t) => {
  /** @type {Map<string, any>} */
  const users = new Map();
  const database = {
    createUser: async (/** @type {any} */ data) => { users.set('1', { id: '1', ...data }); return users.get('1'); },
    getUser: async (/** @type {string} */ id) => users.get(id) || null,
    deleteUser: async (/** @type {string} */ id) => users.delete(id),
    listUsers: async () => Array.from(users.values()),
  };
  /** @type {string[]} */
  const sent = [];
  const email = { sendEmail: async (/** @type {string} */ to) => { sent.push(to); } };
  const db = (/** @type {any} */ gctx) => gctx.modules['db'];
  const { url } = await start(t, async (app) => {
    await addModule(app, 'db', database);
    await addModule(app, 'email', email);
    app.post('/users', async (req, res, gctx) => { res.status(201).json({ user: await db(gctx).createUser(req.body) }); });
    app.get('/users/:id', async (req, res, gctx) => {
      const user = await db(gctx).getUser(req.params.id);
      if (!user) return res.status(404).json({ error: 'User not found' });
      res.json({ user });
    });
    app.delete('/users/:id', async (req, res, gctx) => {
      await db(gctx).deleteUser(req.params.id);
      res.status(204).send('');
    });
    app.get('/users', async (_req, res, gctx) => { res.json({ users: await db(gctx).listUsers() }); });
    app.post('/notify', async (req, res, gctx, lctx) => {
      lctx.lifecycle.onCleanup('notify', () => {});
      const { email: to } = /** @type {any} */ (req.body);
      if (!to) return res.status(400).json({ error: 'Missing required fields' });
      await /** @type {any} */ (gctx.modules['email']).sendEmail(to);
      res.json({ success: true });
    });
  });
  await askAll(url, [
    ['POST /users', { name: 'Ada' }, 201, { user: { id: '1', name: 'Ada' } }],
    ['GET /users/1', undefined, 200, { user: { id: '1', name: 'Ada' } }],
    ['GET /users/2', undefined, 404, undefined],
    ['GET /users', undefined, 200, { users: [{ id: '1', name: 'Ada' }] }],
    ['DELETE /users/1', undefined, 204, undefined],
    ['GET /users', undefined, 200, { users: [] }],
    ['POST /notify', {}, 400, undefined],
    ['POST /notify', { email: 'ada@example.com' }, 200, { success: true }],
  ]);
  assert.deepEqual(sent, ['ada@example.com']);
});

// The guide of timescape-intermediate: a module whose init returns groups of functions by
// the version of the schema, which the published runtime does not know.
test('the form of timescape-intermediate', async (t) => {
  /** @type {any} */
  const databaseModule = {
    name: 'database',
    async init(/** @type {any} */ gctx) {
      const version = gctx.timescape?.activeSchemaVersion || 'schema_v1';
      return { products: { findAll: async () => [{ id: '1', price: '29.99', version }], findById: async () => null } };
    },
  };
  const { url } = await start(t, async (app) => {
    await addModule(app, 'database', databaseModule);
    app.get('/api/products', async (_req, res, gctx) => {
      res.json(await /** @type {any} */ (gctx.modules).database.products.findAll());
    });
    app.get('/api/products/:id', async (req, res, gctx) => {
      const product = await /** @type {any} */ (gctx.modules).database.products.findById(req.params.id);
      if (!product) throw new HandlerError('Product not found', 404);
      res.json(product);
    });
  });
  await askAll(url, [
    ['GET /api/products', undefined, 200, [{ id: '1', price: '29.99', version: 'schema_v1' }]],
    ['GET /api/products/9', undefined, 404, undefined],
  ]);
});
