// The functions of the application that pairs name, found in its folder of
// transformers. Names and files are those of the Gati documents.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { stackOf } from '../errors.js';

/** Where transformers are unless an option says otherwise; the first that exists. */
const folders = ['dist/transformers', 'src/transformers', 'transformers', '.gati/timescape/transformers'];

/**
 * @typedef {(body: any, context: import('../../index.d.ts').TransformContext) => unknown} Transform
 * @typedef {{file: string, exports: Record<string, unknown>}} Source
 * @typedef {{transform: Transform | undefined, fault: string}} Found
 */

/**
 * Imports every file of the folder. One that cannot be imported is logged, and its
 * functions are missing.
 * @param {string | undefined} folder
 * @returns {Promise<Source[]>}
 */
export async function importTransformers(folder) {
  const dir = folder ?? folders.find((name) => existsSync(name));
  if (dir === undefined) return [];
  /** @type {Source[]} */
  const sources = [];
  for (const path of await listFiles(resolve(dir))) {
    const file = relative(resolve(dir), path);
    try {
      sources.push({ file, exports: await import(pathToFileURL(path).href) });
    } catch (error) {
      console.error(`transformers of ${file} are missing, it cannot be imported: ${stackOf(error)}`);
    }
  }
  return sources;
}

/**
 * @param {string} dir
 * @returns {Promise<string[]>}
 */
async function listFiles(dir) {
  const found = [];
  const entries = await readdir(dir, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) found.push(...(await listFiles(path)));
    else if (/\.m?js$/.test(entry.name) && !/\.test\.m?js$/.test(entry.name)) found.push(path);
  }
  return found;
}

/**
 * Finds the function that a pair names for a direction. The pair's own file comes
 * first; elsewhere a name has to be unique.
 * @param {Source[]} sources
 * @param {import('./pairs.js').Pair} pair
 * @param {'request' | 'response'} direction
 * @returns {Found}
 */
export function findFunction(sources, pair, direction) {
  const name = pair[direction];
  if (!name) return { transform: undefined, fault: '' };
  const own = sources.filter((source) => isFileOf(source.file, pair));
  for (const group of [own, sources.filter((source) => !own.includes(source))]) {
    const holders = group.filter((source) => pick(source.exports, name, direction) !== undefined);
    const [first, second] = holders;
    if (second !== undefined) return { transform: undefined, fault: `${name} is exported by ${first.file} and ${second.file}` };
    if (first !== undefined) return { transform: pick(first.exports, name, direction), fault: '' };
  }
  return { transform: undefined, fault: `no function ${name} is exported` };
}

/**
 * A name may be that of a function, of a pair that the runtime's createTransformerPair
 * made, or lead into one: usersV1V2.forward.transformRequest.
 * @param {any} exports
 * @param {string} name
 * @param {'request' | 'response'} direction
 * @returns {Transform | undefined}
 */
function pick(exports, name, direction) {
  let value = exports;
  for (const part of name.split('.')) value = value !== null && value !== undefined && Object.hasOwn(value, part) ? value[part] : undefined;
  if (typeof value === 'object' && value !== null) {
    value = direction === 'request' ? value.forward?.transformRequest : value.backward?.transformResponse;
  }
  return typeof value === 'function' ? value : undefined;
}

/**
 * @param {string} file
 * @param {import('./pairs.js').Pair} pair
 */
function isFileOf(file, { from, to }) {
  const name = basename(file, extname(file));
  const ending = `${withoutPrefix(from)}-to-${withoutPrefix(to)}`;
  return name === ending || name.endsWith(`-${ending}`);
}

/** @param {string} version */
function withoutPrefix(version) {
  return version.replace(/^tsv:/, '');
}
