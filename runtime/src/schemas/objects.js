// Schemas that a handler's file exports as INPUT and OUTPUT: objects of TypeBox or zod, or
// JSON Schemas. They say more than their types, so the file is compiled and run.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

import { nameOf, withoutSuffix } from '../application/files.js';
import { OptionError } from '../options.js';

/**
 * @param {import('./program.js').Program} program
 * @param {import('../application/files.js').Files} files
 * @param {string} file
 * @param {import('./handler.js').Source} source
 * @returns {Promise<{input?: object, output?: object}>}
 */
export async function loadObjects(program, files, file, { exports }) {
  if (exports.INPUT === undefined && exports.OUTPUT === undefined) return {};
  const { INPUT, OUTPUT } = await runFile(program, files, file);
  return {
    ...(INPUT === undefined ? {} : { input: await toJSONSchema(files, INPUT, 'input') }),
    ...(OUTPUT === undefined ? {} : { output: await toJSONSchema(files, OUTPUT, 'output') }),
  };
}

/**
 * Compiles into a folder of the application, where its packages are found.
 * @param {import('./program.js').Program} program
 * @param {import('../application/files.js').Files} files
 * @param {string} file
 */
async function runFile({ ts, program }, { root, code }, file) {
  const dir = mkdtempSync(join(root, '.gati-schemas-'));
  try {
    const options = { ...program.getCompilerOptions(), noEmit: false, outDir: dir, rootDir: root, declaration: false, declarationMap: false, sourceMap: false, incremental: false, composite: false };
    ts.createProgram([join(code, file)], options).emit();
    const compiled = withoutSuffix(file) + file.slice(withoutSuffix(file).length).replace('t', 'j');
    return await import(pathToFileURL(join(dir, relative(root, code), compiled)).href);
  } catch (error) {
    throw new OptionError(`src/${file} exports INPUT or OUTPUT and cannot be run: ${error instanceof Error ? error.message : error}`);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * @param {import('../application/files.js').Files} files
 * @param {any} schema
 * @param {'input' | 'output'} io
 * @returns {Promise<object>}
 */
async function toJSONSchema(files, schema, io) {
  if (schema?._zod !== undefined) {
    const { z } = await importFrom(files, 'zod');
    return z.toJSONSchema(schema, { io, unrepresentable: 'any', override: io === 'output' ? openObject : undefined });
  }
  if (schema?._def === undefined) return JSON.parse(JSON.stringify(schema));
  const { zodToJsonSchema } = await importFrom(files, 'zod-to-json-schema');
  return zodToJsonSchema(schema, { pipeStrategy: io, strictUnions: true, ...(io === 'output' ? { removeAdditionalStrategy: 'strict' } : {}) });
}

/** Leaves answers open for properties to come. @param {{jsonSchema: any}} context */
function openObject({ jsonSchema }) {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

/**
 * @param {import('../application/files.js').Files} files
 * @param {string} name
 */
async function importFrom(files, name) {
  try {
    return await import(pathToFileURL(createRequire(join(files.root, 'package.json')).resolve(name)).href);
  } catch {
    throw new OptionError(`${nameOf(files, 'handlers')}: a zod object needs ${name} to become a JSON Schema; add it with npm install --save-dev ${name}`);
  }
}
