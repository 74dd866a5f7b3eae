// The schemas of an application's handlers, from the types of its code. Of the application
// only files that export INPUT or OUTPUT are run.
import { join } from 'node:path';

import { findEntry, findSources, nameOf } from '../application/files.js';
import { readMethods, readRoute } from '../application/handlers.js';
import { OptionError } from '../options.js';
import { readCalls } from './calls.js';
import { convertType, distinct, joinSchemas } from './convert.js';
import { findFunction, readSource } from './handler.js';
import { loadObjects } from './objects.js';
import { createProgram } from './program.js';

/**
 * @typedef {import('./convert.js').Schema} Schema
 *
 * @typedef {object} RouteSchema
 * @property {string} method
 * @property {string} route
 * @property {string} file
 * @property {Schema} [input] absent where the code says nothing of requests
 * @property {Schema} [output]
 * @property {string[]} gaps what the code leaves open, with file and line
 */

/**
 * @param {string} root
 * @returns {Promise<RouteSchema[]>}
 */
export async function extractSchemas(root) {
  const files = findSources(root);
  const program = createProgram(root, files.handlers.map((file) => join(files.code, file)));
  const found = [];
  for (const file of files.handlers) found.push(...await extractFile(program, files, file));
  return found;
}

/**
 * @param {import('./program.js').Program} program
 * @param {import('../application/files.js').Files} files
 * @param {string} file
 * @returns {Promise<RouteSchema[]>}
 */
async function extractFile(program, files, file) {
  const entry = findEntry(files.manifest.handlers, file);
  const source = readSource(program, join(files.code, file), entry);
  if (source.name === undefined) return [];
  const name = nameOf(files, file);
  const route = readRoute(source.constants, entry, file);
  if (typeof route !== 'string') throw new OptionError(`ROUTE of ${name} is ${JSON.stringify(route)}, want a string such as '/users/:id'`);
  const schemas = { ...new Extraction(program, files.root).extract(source), ...await loadObjects(program, files, file, source) };
  return readMethods(source.constants, entry, name).map((method) => ({ method, route, file: name, ...schemas }));
}

class Extraction {
  /** @type {string[]} */
  gaps = [];

  /**
   * @param {import('./program.js').Program} program
   * @param {string} root
   */
  constructor(program, root) {
    this.program = program;
    this.root = root;
  }

  /** @param {import('./handler.js').Source} source */
  extract({ declaration, name }) {
    const { fn, types } = findFunction(this.program, declaration);
    if (fn === undefined && declaration !== undefined) this.#gap('handler', declaration, `no function is found in ${name}`);
    const calls = fn === undefined ? { answers: [], bodies: [] } : readCalls(this.program, fn);
    const [input, output] = [types[0] ? this.#fromNode('input', types[0]) : this.#inputOf(calls), types[1] ? this.#fromNode('output', types[1]) : this.#outputOf(calls)];
    return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }), gaps: this.gaps };
  }

  /** @param {import('./calls.js').Calls} calls @returns {Schema | undefined} */
  #outputOf({ answers }) {
    if (answers.length === 0) return undefined;
    return joinSchemas(answers.map((node) => this.#fromNode('output', node)));
  }

  /** All types that a handler takes its body for hold at once. @param {import('./calls.js').Calls} calls @returns {Schema | undefined} */
  #inputOf({ bodies }) {
    const typed = bodies.flatMap(({ node, type }) => (type === undefined ? [] : [{ node, type }]));
    if (bodies.length > 0 && typed.length === 0) {
      this.#gap('input', bodies[0].node, 'req.body has no type; write req.body as T, or defineHandler<In, Out>');
    }
    if (typed.length === 0) return undefined;
    const schemas = distinct(typed.map(({ node, type }) => this.#convert('input', node, type)));
    return schemas.length === 1 ? schemas[0] : { allOf: schemas };
  }

  /** @param {string} side @param {import('typescript').Node} node */
  #fromNode(side, node) {
    return this.#convert(side, node, this.program.checker.getTypeAtLocation(node));
  }

  /** @param {string} side @param {import('typescript').Node} node @param {import('typescript').Type} type */
  #convert(side, node, type) {
    return convertType(this.program, type, node, (path, text) => this.#gap(side, node, `${path || 'the body'} is ${text}, which may be anything`));
  }

  /** @param {string} side @param {import('typescript').Node} node @param {string} text */
  #gap(side, node, text) {
    const file = node.getSourceFile();
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    const gap = `${file.fileName.slice(this.root.length + 1)}:${line + 1}: ${side}: ${text}`;
    if (!this.gaps.includes(gap)) this.gaps.push(gap);
  }
}
