// Prints the old and the new documents of every evolution as every emitter writes them,
// with jsoncompat's verdicts on them: a list of {emitter, evolution, old, new, jsoncompat}.
// A document is {input, output}: what requests and responses are described by.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { createDocument } from 'zod-openapi';
import { toJsonSchema } from '@valibot/to-json-schema';
import { createGenerator } from 'ts-json-schema-generator';
import * as TJS from 'typescript-json-schema';
import { check_compat, initSync } from 'jsoncompat';
import { evolutions } from './evolutions.mjs';
import { sinclair, typeboxOne, typescript, valibot, zod3, zod4 } from './libraries.mjs';

const both = schema => ({ input: schema, output: schema });

// openAPI is the request body and the response of a document, with its components beside.
function openAPI(openapi, type) {
  const content = { 'application/json': { schema: type } };
  const document = createDocument({
    openapi,
    info: { title: 'evolution', version: '1' },
    paths: { '/p': { post: { requestBody: { content }, responses: { 200: { description: 'ok', content } } } } },
  });
  const { requestBody, responses } = document.paths['/p'].post;
  const read = body => ({ ...body.content['application/json'].schema, ...(document.components && { components: document.components }) });
  return { input: read(requestBody), output: read(responses[200]) };
}

const emitters = {};
for (const target of ['draft-2020-12', 'draft-7', 'draft-4', 'openapi-3.0'])
  emitters[`zod 4, ${target}`] = [zod4, type => ({ input: z.toJSONSchema(type, { target, io: 'input' }), output: z.toJSONSchema(type, { target, io: 'output' }) })];
for (const target of ['jsonSchema7', 'jsonSchema2019-09', 'openApi3'])
  emitters[`zod-to-json-schema, ${target}`] = [zod3, type => both(zodToJsonSchema(type, { target }))];
emitters['TypeBox 0.34'] = [sinclair, both];
emitters['TypeBox 1'] = [typeboxOne, both];
for (const target of ['draft-07', 'draft-2020-12', 'openapi-3.0'])
  emitters[`Valibot, ${target}`] = [valibot, type => both(toJsonSchema(type, { target, errorMode: 'ignore' }))];
for (const version of ['3.0.3', '3.1.0']) emitters[`zod-openapi, ${version}`] = [zod4, type => openAPI(version, type)];

// declareTypes writes the types of all evolutions into one file of TypeScript.
function declareTypes(file) {
  const declared = [];
  let number = 0;
  const l = typescript({ next: () => `Tree${++number}`, declare: text => declared.push(text) });
  Object.values(evolutions).forEach((e, i) => {
    for (const side of ['old', 'new']) declared.push(`export type T${i}${side} = ${e[side](l).text};`);
  });
  writeFileSync(file, declared.join('\n'));
}

function emitTypeScript(dir) {
  const path = join(dir, 'types.ts');
  declareTypes(path);
  const generator = createGenerator({ path, topRef: false, skipTypeCheck: true });
  const program = TJS.getProgramFromFiles([path], { strictNullChecks: true });
  const tjs = TJS.buildGenerator(program, { required: true, ignoreErrors: true });
  return {
    'ts-json-schema-generator': name => both(generator.createSchema(name)),
    'typescript-json-schema': name => both(tjs.getSchemaForSymbol(name)),
  };
}

// judge asks jsoncompat: it may refuse a document.
function judge(old, now, role) {
  try {
    return check_compat(JSON.stringify(old), JSON.stringify(now), role) ? 'keeps' : 'breaks';
  } catch {
    return 'error';
  }
}

initSync({ module: readFileSync(new URL('node_modules/jsoncompat/jsoncompat_wasm_bg.wasm', import.meta.url)) });
const dir = mkdtempSync(join(tmpdir(), 'emitters-'));
const out = [];
const add = (emitter, evolution, old, now) =>
  out.push({ emitter, evolution, old, new: now, jsoncompat: { request: judge(old.input, now.input, 'deserializer'), response: judge(old.output, now.output, 'serializer') } });
const types = emitTypeScript(dir);
Object.entries(evolutions).forEach(([evolution, e], i) => {
  for (const [emitter, [library, emit]] of Object.entries(emitters)) add(emitter, evolution, emit(e.old(library)), emit(e.new(library)));
  for (const [emitter, emit] of Object.entries(types)) add(emitter, evolution, emit(`T${i}old`), emit(`T${i}new`));
});
rmSync(dir, { recursive: true });
process.stdout.write(JSON.stringify(out));
