// The same module runs in the process of a handler and in pods of its own. Each test runs
// on both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandlerError } from '@gati-framework/runtime';

import { addModule, remoteModule, serveModule } from '../src/index.js';
import { ask, errorLog, freePort, series, start } from './support.js';

// Of the form of database.ts in the examples of upstream's repository.
const database = {
  users: {
    /** @param {string} id */
    findById: async (id) => (id === '0' ? null : { id, name: 'John Doe', at: new Date(0) }),
    /** @param {object} data */
    create: async (data) => ({ id: 'new-id', ...data }),
    remove: () => {},
  },
  posts: { recent: { list: (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => i) } },
  ping() { return this.users === database.users; },
  refuse: async () => { throw new HandlerError('there is one already', 409); },
  fail: async () => { throw new RangeError('out of range'); },
  call: async () => 'called',
};

class Counter {
  n = 0;
  add(/** @type {number} */ more) { return (this.n += more); }
}

/** @type {Record<string, (t: import('node:test').TestContext, object: object) => Promise<any>>} */
const places = {
  'in process': async (t, object) => {
    const { app } = await start(t, async (it) => addModule(it, 'database', object));
    return app.getGlobalContext().modules.database;
  },
  'as pods': async (t, object) => {
    const module = await startModule(t, object);
    process.env.GATI_MODULE_DATABASE = new URL(module.url).host;
    t.after(() => { delete process.env.GATI_MODULE_DATABASE; });
    // The environment wins over what is in the process.
    const { app } = await start(t, (it) => addModule(it, 'database', { users: {} }));
    return app.getGlobalContext().modules.database;
  },
};

/** @param {import('node:test').TestContext} t @param {object} object */
async function startModule(t, object) {
  const program = await serveModule(object, { host: '127.0.0.1', port: await freePort(), lameDuck: 0, pairsFile: '/none' });
  t.after(() => program.stop());
  const { host, port } = program.app.getConfig();
  return { ...program, url: `http://${host}:${port}` };
}

for (const [place, reach] of Object.entries(places)) {
  test(`${place}: functions and groups of functions are called`, async (t) => {
    const client = await reach(t, database);
    assert.deepEqual(await client.users.findById('7'), { id: '7', name: 'John Doe', at: '1970-01-01T00:00:00.000Z' });
    assert.equal(await client.users.findById('0'), null);
    assert.deepEqual(await client.users.create({ name: 'a' }), { id: 'new-id', name: 'a' });
    assert.equal(await client.users.remove('7'), null);
    assert.deepEqual(await client.posts.recent.list(3), [0, 1, 2]);
    assert.equal(await client.ping(), true);
    assert.equal(await client.call(), 'called');
    assert.equal(await client.users.findById.call(undefined, '0'), null);
    assert.equal(client.then, undefined);
    assert.equal(client.users.then, undefined);
  });

  test(`${place}: what a function throws reaches its caller`, async (t) => {
    errorLog(t);
    const client = await reach(t, database);
    await assert.rejects(client.refuse(), (error) => error instanceof HandlerError && error.statusCode === 409 && error.message === 'there is one already');
    await assert.rejects(client.fail(), { name: 'RangeError', message: 'out of range' });
  });

  test(`${place}: only the module's own functions are called`, async (t) => {
    const client = await reach(t, database);
    for (const path of [['users', 'none'], ['users'], ['constructor'], ['users', 'toString'], ['__proto__', 'toString']]) {
      const call = path.reduce((at, key) => at[key], client);
      await assert.rejects(async () => call(), { name: 'RPCError', message: `Method not found: ${path.join('.')}` }, path.join('.'));
    }
  });

  test(`${place}: an instance of a class keeps its state`, async (t) => {
    const client = await reach(t, new Counter());
    await client.add(2);
    assert.equal(await client.add(3), 5);
  });
}

// Of the forms in the guide for modules and in the example timescape-intermediate.
for (const [place, reach] of Object.entries(places)) {
  test(`${place}: a module is initialized once, calls its exports, and is shut down`, async (t) => {
    /** @type {string[]} */
    const calls = [];
    const module = {
      name: 'database', version: '1.0.0', exports: /** @type {Record<string, any>} */ ({ users: {} }),
      async init(/** @type {any} */ gctx) {
        calls.push(`init ${typeof gctx.lifecycle}`);
        this.exports.users.find = async (/** @type {string} */ id) => ({ id });
        this.exports.close = () => { calls.push('close'); };
      },
      async shutdown() { await this.exports.close(); },
    };
    await t.test('calls', async (inner) => {
      const client = await reach(inner, module);
      assert.deepEqual(await client.users.find('1'), { id: '1' });
      await assert.rejects(async () => client.init(), { name: 'RPCError' });
      assert.deepEqual(calls, ['init object']);
    });
    assert.deepEqual(calls, ['init object', 'close']);
  });

  test(`${place}: what init returns is called`, async (t) => {
    const client = await reach(t, { name: 'database', init: async () => ({ products: { list: () => [1] } }) });
    assert.deepEqual(await client.products.list(), [1]);
  });

  test(`${place}: a module that has a name and other functions is called itself`, async (t) => {
    const client = await reach(t, { name: 'a', init: () => 'begun', find: () => 'found' });
    assert.deepEqual([await client.init(), await client.find()], ['begun', 'found']);
  });

  test(`${place}: an init that fails ends the start with its error`, async (t) => {
    await assert.rejects(reach(t, { name: 'a', init: async () => { throw new Error('no connection'); } }), /no connection/);
  });
}

test('a health check of a module is that of its pod', async (t) => {
  const module = { name: 'a', well: true, exports: { find: () => 1 }, healthCheck() { return this.well; } };
  const { url } = await startModule(t, module);
  assert.equal((await ask(`${url}/health`)).status, 200);
  module.well = false;
  assert.equal((await ask(`${url}/health`)).status, 503);
});

test('a module has health, metrics of each function, and a stop', async (t) => {
  const module = await startModule(t, database);
  const client = remoteModule('database', new URL(module.url).host);
  await client.users.findById('1');
  assert.equal((await ask(`${module.url}/health`)).status, 200);
  assert.equal((await series(module.url))['gati_http_requests_total{method="POST",route="/users.findById",status_code="200"}'], 1);
  assert.equal((await ask(`${module.url}/ping`, { body: '{}', headers: { 'Content-Type': 'application/json' } })).status, 400);
  await module.stop();
  await assert.rejects(client.ping());
});

test('a module without a function is refused', async () => {
  await assert.rejects(serveModule({ a: 1 }), /has no function/);
});
