import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { OptionError, readOptions } from '../src/options.js';

test('code wins over environment, environment over the default', () => {
  assert.equal(readOptions({}, {}).port, 3000);
  assert.equal(readOptions({ defaultPort: 50051 }, {}).port, 50051);
  assert.equal(readOptions({ defaultPort: 50051 }, { PORT: '8080' }).port, 8080);
  assert.equal(readOptions({ port: 1 }, { PORT: '8080' }).port, 1);
  assert.equal(readOptions({}, {}).bodyLimit, 1024 ** 2);
  assert.equal(readOptions({}, { GATI_BODY_LIMIT: '64KiB' }).bodyLimit, 65536);
  assert.equal(readOptions({ keepAlive: '2m' }, {}).keepAlive, 120_000);
});

test('a value that makes no sense is an error with its name', () => {
  /** @type {[object, NodeJS.ProcessEnv, RegExp][]} */
  const cases = [
    [{}, { PORT: 'http' }, /PORT is "http", want a port from 1 to 65535/],
    [{}, { PORT: '' }, /PORT is ""/],
    [{}, { GATI_LAME_DUCK: '5' }, /GATI_LAME_DUCK is "5", want a length of time/],
    [{}, { GATI_BODY_LIMIT: '1MB' }, /GATI_BODY_LIMIT is "1MB", want a number of bytes/],
    [{ maxHops: 0 }, {}, /GATI_MAX_HOPS is "0", want a number from 1/],
    [{ bodyLimits: 1 }, {}, /no option "bodyLimits"/],
  ];
  for (const [options, env, want] of cases) {
    assert.throws(() => readOptions(options, env), (error) => error instanceof OptionError && want.test(error.message));
  }
});

test('each option has its line in README.md, and its place in index.d.ts', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const types = await readFile(new URL('../index.d.ts', import.meta.url), 'utf8');
  const listed = [...readme.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
  const [block] = /interface Options \{[^]*?\n\}/.exec(types) ?? [''];
  const declared = [...block.matchAll(/^ {2}(\w+)\?:/gm)].map((match) => match[1]);
  assert.deepEqual(listed, declared);
  for (const name of declared) assert.doesNotThrow(() => readOptions({ [name]: undefined }, {}));
});
