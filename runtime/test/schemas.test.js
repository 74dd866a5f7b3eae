// The schemas of handlers in the forms of the examples of upstream's repository, and of
// those that its repository has no example of.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { folder } from './support.js';

const program = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));
const dependencies = fileURLToPath(new URL('../node_modules', import.meta.url));

/** @param {Record<string, string>} files */
async function writeApplication(files) {
  const dir = await folder({});
  for (const [name, text] of Object.entries({ 'package.json': '{"type": "module"}', ...files })) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  await symlink(dependencies, join(dir, 'node_modules'));
  return dir;
}

/** @param {string} dir */
async function extract(dir) {
  return JSON.parse((await promisify(execFile)(process.execPath, [program, 'schemas', dir])).stdout);
}

/** @param {Record<string, object>} properties @param {string[]} optional */
const object = (properties, ...optional) => ({ type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)).sort() });
const string = { type: 'string' };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const user = object({ id: string, name: string, email: string });

const typed = "import type { Handler } from '@gati-framework/runtime';\n";

test("handlers of upstream's hello-world", async () => {
  const dir = await writeApplication({
    'tsconfig.json': '{"compilerOptions": {"target": "ES2022", "lib": ["ES2022"], "module": "ESNext", "moduleResolution": "node", "strict": true, "noUncheckedIndexedAccess": true, "verbatimModuleSyntax": true}}',
    'src/handlers/hello.ts': `${typed}export const METHOD = 'GET'; export const ROUTE = '/hello';
      export const helloHandler: Handler = async (_req, res, _gctx, lctx) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        res.json({ message: 'Hello, World!', refs: lctx.refs, client: lctx.client, duration: Date.now() - lctx.meta.startTime });
      };
      export const helloNameHandler: Handler = (req, res) => res.json({ other: req.params['name'] });`,
    'src/handlers/user.ts': `${typed}import { HandlerError } from '@gati-framework/runtime';
      export const METHOD = 'GET'; export const ROUTE = '/user';
      const users = [{ id: '1', name: 'Alice', email: 'alice@example.com' }];
      export const getUserHandler: Handler = (req, res) => {
        const user = users.find((u) => u.id === req.params['id']);
        if (!user) throw new HandlerError('User not found', 404);
        res.json({ user });
      };`,
    'src/handlers/users/[id].ts': `${typed}export const METHOD = 'GET'; export const ROUTE = '/:id';
      export const getUserHandler: Handler = async (req, res, _gctx, lctx) => {
        lctx.state.user = { id: req.params.id };
        res.json({ user: lctx.state.user, requestId: lctx.requestId });
      };`,
    'src/handlers/users/index.ts': `${typed}export const METHOD = 'POST'; export const ROUTE = '/';
      export const createUserHandler: Handler = async (req, res, _gctx, lctx) => {
        const userData = req.body;
        lctx.state.user = { id: 'new-user', ...(userData as object) };
        res.status(201).json({ user: lctx.state.user, requestId: lctx.requestId });
      };`,
    'src/handlers/users/index.test.ts': 'throw new Error();',
    'src/handlers/shared.ts': 'export const limit = 3;',
  });
  const open = object({ user: {}, requestId: string }, 'user');
  assert.deepEqual(await extract(dir), [
    {
      method: 'GET', route: '/hello', file: 'src/handlers/hello.ts', gaps: [],
      output: object({
        message: string, refs: { type: 'object', properties: { sessionId: string, userId: string, tenantId: string } },
        client: object({ ip: string, userAgent: string, region: string }), duration: number,
      }),
    },
    { method: 'GET', route: '/user', file: 'src/handlers/user.ts', output: object({ user }), gaps: [] },
    { method: 'GET', route: '/users/:id', file: 'src/handlers/users/[id].ts', output: open, gaps: ['src/handlers/users/[id].ts:5: output: /user is unknown, which may be anything'] },
    { method: 'POST', route: '/users', file: 'src/handlers/users/index.ts', input: { type: 'object' }, output: open, gaps: ['src/handlers/users/index.ts:6: output: /user is unknown, which may be anything'] },
  ]);
});

const product = object({ id: string, price: string });

/** Each is the code of a file's handler, with what it becomes. @type {Record<string, {code: string, input?: object, output?: object, gaps?: string[]}>} */
const cases = {
  'a named type, as in timescape-intermediate': {
    code: 'interface ProductV1 { id: string; price: string }\nasync function getProducts(): Promise<ProductV1[]> { return []; }\nexport const handler: Handler = async (_req, res) => res.json(await getProducts());',
    output: { type: 'array', items: product },
  },
  'a function that may find nothing': {
    code: 'declare function find(): Promise<{ id: string; price: string } | null>;\nexport const handler: Handler = async (_req, res) => res.json(await find());',
    output: { anyOf: [{ type: 'null' }, product] },
  },
  'errors are no answers': {
    code: `export const handler: Handler = (req, res) => {
      const { email, copy } = req.body as { email: string; copy?: boolean };
      if (!email) return res.status(400).header('X-A', 'b').json({ error: 'missing' });
      if (copy) { res.status(409); res.json({ error: 'twice' }); return; }
      res.status(201).json({ ok: true });
    };`,
    input: object({ email: string, copy: boolean }, 'copy'), output: object({ ok: boolean }),
  },
  'answers of two forms': {
    code: "export const handler: Handler = (req, res) => { if (req.path) res.json({ kind: 'a' as const }); else res.json({ kind: 'b' as const, n: 1 }); };",
    output: { anyOf: [object({ kind: { const: 'a' } }), object({ kind: { const: 'b' }, n: number })] },
  },
  'defineHandler': {
    code: "import { defineHandler } from 'gati-kubernetes';\nexport const handler = defineHandler<{ name: string }, { id: string }>((req, res) => res.json({ id: req.body.name }));",
    input: object({ name: string }), output: object({ id: string }),
  },
  'a wrapped handler, and one that answers by a function': {
    code: `import type { Response } from '@gati-framework/runtime';
      const wrapped = (h: Handler): Handler => h;
      function send(res: Response, id: string) { res.json({ id }); }
      const inner: Handler = ({ body }, res) => { const b: { name: string } = body as never; send(res, b.name); };
      export default wrapped(inner);`,
    input: object({ name: string }), output: object({ id: string }),
  },
  'what JSON makes of values': {
    code: `class Item { #hidden = 1; at = new Date(); get size() { return this.#hidden; } run() {} }
      type Tree = { value: 1 | 2 | null; children: Tree[] };
      declare const tree: Tree; declare const map: Record<string, boolean>;
      export const handler: Handler = (_req, res) => res.json({ item: new Item(), tree, map, pair: [1, 'a'] as [number, string?], none: undefined, f: () => 1, big: 1n, set: new Set([1]) });`,
    output: {
      ...object({
        item: object({ at: { type: 'string', format: 'date-time' } }), tree: { $ref: '#/$defs/Tree' }, map: { type: 'object', additionalProperties: boolean },
        pair: { type: 'array', minItems: 1, prefixItems: [number, string], items: false }, big: {}, set: { type: 'object' },
      }),
      $defs: { Tree: object({ value: { anyOf: [{ enum: [1, 2] }, { type: 'null' }] }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } }) },
    },
    gaps: [':5: output: /big is bigint, which may be anything'],
  },
  'what comments and brands say': {
    code: `type Brand = string & { readonly __gati_brand: 'Email'; readonly __gati_minLen: 3 };
      interface In {
        /**
         * @minimum 1
         * @asType integer
         */
        count: number;
        /** @pattern ^a */
        name: string;
        email: Brand;
      }
      export const handler: Handler = (req, res) => res.json({ n: (req.body as In).count });`,
    input: object({ count: { type: 'integer', minimum: 1 }, name: { type: 'string', pattern: '^a' }, email: { type: 'string', minLength: 3 } }), output: object({ n: number }),
  },
  'schemas that are exported': {
    code: "export const INPUT = { type: 'object', required: ['a'] };\nexport const handler: Handler = (req, res) => res.json({ b: req.body });",
    input: { type: 'object', required: ['a'] }, output: { type: 'object', properties: { b: {} } },
    gaps: [':3: input: req.body has no type; write req.body as T, or defineHandler<In, Out>', ':3: output: /b is unknown, which may be anything'],
  },
};

test('handlers of each form', async (t) => {
  const files = Object.values(cases).map(({ code }, i) => [`src/handlers/${i}.ts`, typed + code]);
  const got = await extract(await writeApplication(Object.fromEntries(files)));
  for (const [i, [name, { gaps = [], input, output }]] of Object.entries(Object.entries(cases))) {
    const file = `src/handlers/${i}.ts`;
    await t.test(name, () => assert.deepEqual(got.find((/** @type {{file: string}} */ g) => g.file === file), { method: 'GET', route: `/${i}`, file, ...(input && { input }), ...(output && { output }), gaps: gaps.map((gap) => file + gap) }));
  }
});

test('JavaScript with types in comments', async () => {
  const dir = await writeApplication({
    'src/handlers/a.js': "export const METHOD = ['PUT', 'patch'];\n/** @type {import('@gati-framework/runtime').Handler} */\nexport const aHandler = (req, res) => res.json({ n: /** @type {{n: number}} */ (req.body).n });",
  });
  const schemas = { route: '/a', file: 'src/handlers/a.js', input: object({ n: number }), output: object({ n: number }), gaps: [] };
  assert.deepEqual(await extract(dir), [{ method: 'PUT', ...schemas }, { method: 'PATCH', ...schemas }]);
});

test('what cannot be read ends with one sentence', async () => {
  const handler = 'export const handler = () => {};';
  /** @type {[string, Record<string, string>][]} */
  const refused = [
    ['src/handlers has no handlers', {}],
    ['METHOD of src/handlers/a.ts is "READ"', { 'src/handlers/a.ts': `export const METHOD = 'READ'; ${handler}` }],
    ['src/handlers/a.ts exports INPUT or OUTPUT and cannot be run: no database', { 'src/handlers/a.ts': `throw new Error('no database'); export const INPUT = {}; ${handler}` }],
  ];
  for (const [want, files] of refused) {
    await assert.rejects(async () => extract(await writeApplication(files)), (/** @type {Error & {stderr: string, code: number}} */ error) => error.stderr.includes(want) && error.code === 2);
  }
});
