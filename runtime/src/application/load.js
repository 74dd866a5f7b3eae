// What a file of an application exports.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { OptionError } from '../options.js';
import { nameOf } from './files.js';

/**
 * @param {import('./files.js').Files} files
 * @param {string} file
 * @returns {Promise<Record<string, any>>}
 */
export async function loadExports(files, file) {
  /** @type {Record<string, any>} */
  let loaded;
  try {
    loaded = await import(pathToFileURL(join(files.code, file)).href);
  } catch (error) {
    throw new OptionError(`${nameOf(files, file)} cannot be loaded: ${error instanceof Error ? error.stack ?? error.message : error}`);
  }
  // A CommonJS file whose exports Node.js cannot see from outside has them as its default.
  return { .../** @type {object} */ (isObject(loaded.default) ? loaded.default : {}), ...loaded };
}

/** @param {unknown} value */
export function isObject(value) {
  return typeof value === 'object' && value !== null;
}
