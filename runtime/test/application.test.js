// Applications in the forms of the examples of upstream's repository run unchanged.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { remoteModule } from '../src/index.js';
import { ask, becomes, folder, freePort } from './support.js';

const program = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));
const dependencies = fileURLToPath(new URL('../node_modules', import.meta.url));

const esm = '{"type": "module"}';
const answer = (/** @type {string} */ text) => `(req, res) => { res.json({ by: '${text}', params: req.params }); }`;

/** @type {Record<string, string>} */
const helloWorld = {
  'package.json': esm,
  'dist/handlers/hello.js': `import { RequestPhase } from '@gati-framework/runtime';
    export const METHOD = 'GET';
    export const ROUTE = '/hello';
    export const helloHandler = async (_req, res, gctx, lctx) => {
      lctx.lifecycle.setPhase(RequestPhase.PROCESSING);
      res.json({ message: 'Hello, World!', user: await gctx.modules['database'].users.findById('7') });
    };
    export const helloNameHandler = ${answer('second')};`,
  'dist/handlers/users/[id].js': `export const METHOD = 'GET'; export const ROUTE = '/:id'; export const getUserHandler = ${answer('id')};`,
  'dist/handlers/users/me.js': `export const userHandler = ${answer('me')};`,
  'dist/handlers/users/index.js': `export const METHOD = 'POST'; export const ROUTE = '/'; export const createUserHandler = ${answer('create')};`,
  'dist/handlers/shared.js': 'export const limit = 3;',
  'dist/handlers/hello.test.js': 'throw new Error("a test runs in production");',
  'dist/modules/database.js': 'export const database = { users: { findById: async (id) => ({ id, name: "John Doe" }) } };',
  'dist/modules/logger.js': 'export function createLogger() { return { log: () => {} }; }',
};

/** @type {Record<string, {files: Record<string, string>, answers: Record<string, object>}>} */
const applications = {
  'ES modules in dist': {
    files: helloWorld,
    answers: {
      'GET /hello': { message: 'Hello, World!', user: { id: '7', name: 'John Doe' } },
      'GET /users/7': { by: 'id', params: { id: '7' } },
      'GET /users/me': { by: 'me', params: {} },
      'POST /users': { by: 'create', params: {} },
    },
  },
  'the form of e2e-test-app': {
    files: {
      'package.json': esm,
      'dist/handlers/test.js': "export const handler = async (_req, res) => { res.json({ message: 'E2E test successful!' }); };",
      'dist/handlers/user.js': `export const METHOD = 'GET'; export const ROUTE = '/user'; export const getUserHandler = ${answer('user')}; export const listUsersHandler = ${answer('list')};`,
      'dist/handlers/users/[id].js': `export const METHOD = 'GET'; export const ROUTE = '/:id'; export const getUserHandler = ${answer('id')};`,
      'dist/handlers/users/index.js': `export const METHOD = 'POST'; export const ROUTE = '/'; export const createUserHandler = ${answer('create')};`,
    },
    answers: {
      'GET /test': { message: 'E2E test successful!' },
      'GET /user': { by: 'user', params: {} },
      'GET /users/7': { by: 'id', params: { id: '7' } },
      'POST /users/': { by: 'create', params: {} },
    },
  },
  'CommonJS in dist/src': {
    files: { 'package.json': '{}', 'dist/src/handlers/deep/[org]/items.js': `module.exports = Object.assign({}, { METHOD: ['PUT', 'patch'], itemsHandler: ${answer('items')} });` },
    answers: { 'PUT /deep/a/items': { by: 'items', params: { org: 'a' } }, 'PATCH /deep/a/items': { by: 'items', params: { org: 'a' } } },
  },
  'JavaScript in src, a default export': {
    files: { 'package.json': esm, 'src/handlers/index.mjs': `export default ${answer('root')};` },
    answers: { 'GET /': { by: 'root', params: {} } },
  },
  'the manifest chooses': {
    files: {
      'package.json': esm,
      '.gati/manifests/_app.json': JSON.stringify({ handlers: [{ filePath: '/their/app/src/handlers/a.ts', relativePath: 'handlers/a.ts', route: '/chosen/:x', method: 'POST', exportName: 'run', exportType: 'named' }], modules: [] }),
      'dist/handlers/a.js': `export const otherHandler = ${answer('other')}; export const run = ${answer('run')};`,
    },
    answers: { 'POST /chosen/1': { by: 'run', params: { x: '1' } } },
  },
};

/** @type {Record<string, {files: Record<string, string>, args?: string[], says: RegExp}>} */
const refused = {
  'an empty folder': { files: { 'package.json': esm }, says: /^FATAL: .* has no handlers: looked for files in dist\/handlers/ },
  'TypeScript alone': { files: { 'src/handlers/a.ts': '' }, says: /^FATAL: .*src\/handlers has no JavaScript, .*npx tsc/ },
  'two files of one route': {
    files: { 'package.json': esm, 'dist/handlers/a/[id].js': `export const aHandler = ${answer('a')}`, 'dist/handlers/b.js': `export const ROUTE = '/a/:name'; export const bHandler = ${answer('b')}` },
    says: /^FATAL: GET \/a\/:name is the route of dist\/handlers\/a\/\[id\].js and of dist\/handlers\/b.js/,
  },
  'no handler is exported': { files: { 'package.json': esm, 'dist/handlers/a.js': "export const METHOD = 'GET';" }, says: /^FATAL: dist\/handlers\/a.js exports no handler/ },
  'a method that is none': { files: { 'package.json': esm, 'dist/handlers/a.js': `export const METHOD = 'FETCH'; export const aHandler = ${answer('a')}` }, says: /^FATAL: METHOD of dist\/handlers\/a.js is "FETCH"/ },
  'a route that is none': { files: { 'package.json': esm, 'dist/handlers/a.js': `export const ROUTE = /a/; export const aHandler = ${answer('a')}` }, says: /^FATAL: ROUTE of dist\/handlers\/a.js/ },
  'a file that throws': { files: { 'package.json': esm, 'dist/handlers/a.js': "import './gone.js';" }, says: /^FATAL: dist\/handlers\/a.js cannot be loaded: .*gone.js/ },
  'a manifest of other code': {
    files: { 'package.json': esm, 'dist/handlers/b.js': '', '.gati/manifests/_app.json': '{"handlers": [{"relativePath": "handlers/a.ts"}]}' },
    says: /^FATAL: \.gati\/manifests\/_app.json has handlers\/a.ts, and there is no dist\/handlers\/a.js/,
  },
  'a manifest that is no JSON': { files: { 'dist/handlers/b.js': '', '.gati/manifests/_app.json': '{' }, says: /^FATAL: .*_app.json is not JSON/ },
  'a subcommand that is none': { files: {}, args: ['server'], says: /^FATAL: there is no subcommand "server"; usage/ },
  'no name of a module': { files: helloWorld, args: ['module'], says: /^FATAL: module: it takes the name of one module/ },
  'a module that is none': { files: helloWorld, args: ['module', 'cache'], says: /^FATAL: there is no module cache; the modules are database, logger/ },
  'a folder without modules': { files: { 'src/modules/a.ts': '' }, args: ['module', 'a'], says: /^FATAL: .*src\/modules has no JavaScript, .*npx tsc/ },
  'an argument': { files: {}, args: ['serve', 'x'], says: /^FATAL: serve: "x" is not understood/ },
};

for (const [name, { files, answers }] of Object.entries(applications)) {
  test(`serves ${name}`, async (t) => {
    const { url, log, stop } = await run(t, files);
    await becomes('it listens', () => log().includes('listens on'));
    for (const [request, want] of Object.entries(answers)) {
      const [method, path] = request.split(' ');
      const got = await ask(url + path, { method });
      assert.deepEqual([got.status, got.json], [200, want], `${request}: ${got.text}`);
    }
    assert.equal(await stop(), 0);
  });
}

test('a module of the folder is served alone', async (t) => {
  const { 'dist/modules/database.js': database } = helloWorld;
  for (const files of [helloWorld, { 'package.json': esm, 'dist/modules/database.js': database }]) {
    const { url, log, stop } = await run(t, files, ['module', 'database']);
    await becomes('it listens', () => log().includes('module database is dist/modules/database.js'));
    const client = remoteModule('database', new URL(url).host);
    assert.deepEqual(await client.users.findById('7'), { id: '7', name: 'John Doe' });
    await assert.rejects(client.users.gone(), { name: 'RPCError', message: 'Method not found: users.gone' });
    assert.deepEqual([(await ask(`${url}/health`)).status, (await ask(`${url}/metrics`)).status], [200, 200]);
    assert.equal(await stop(), 0);
  }
});

for (const [name, { files, args, says }] of Object.entries(refused)) {
  test(`refuses ${name}`, async (t) => {
    const { log, code } = await run(t, files, args);
    assert.equal(await code, 2, log());
    assert.match(log(), says);
  });
}

/**
 * Runs the program in a folder.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} files
 * @param {string[]} [args]
 */
async function run(t, files, args = []) {
  const dir = await folder({});
  await symlink(dependencies, join(dir, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  const port = await freePort();
  const child = spawn(process.execPath, [program, ...args], { cwd: dir, env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', GATI_LAME_DUCK: '0ms' } });
  t.after(() => { child.kill('SIGKILL'); });
  let text = '';
  child.stdout.on('data', (chunk) => { text += chunk; });
  child.stderr.on('data', (chunk) => { text += chunk; });
  /** @type {Promise<number | null>} */
  const code = new Promise((resolve) => child.on('close', resolve));
  const stop = () => { child.kill('SIGTERM'); return code; };
  return { url: `http://127.0.0.1:${port}`, log: () => text, code, stop };
}
