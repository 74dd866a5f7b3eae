// The modules of an application: the object that modules/database.js exports as database,
// by default or alone, or else its functions.
import { listFunctions } from '../functions.js';
import { findEntry, withoutSuffix } from './files.js';
import { isObject, loadExports } from './load.js';

/**
 * @param {import('./files.js').Files} files
 * @returns {Promise<Record<string, object>>}
 */
export async function loadModules(files) {
  /** @type {Record<string, object>} */
  const modules = {};
  for (const file of files.modules) {
    const object = await loadModule(files, file);
    if (listFunctions(object).size > 0) modules[moduleName(file)] = object;
  }
  return modules;
}

/**
 * @param {import('./files.js').Files} files
 * @param {string} file
 * @returns {Promise<object>}
 */
export async function loadModule(files, file) {
  const exported = await loadExports(files, file);
  const entry = findEntry(files.manifest.modules, file);
  const name = [moduleName(file), 'default', entry?.exportName ?? ''].find((key) => isObject(exported[key]));
  if (name !== undefined) return exported[name];
  const objects = Object.values(exported).filter(isObject);
  if (objects.length === 1) return objects[0];
  return Object.fromEntries(Object.entries(exported).filter(([, value]) => typeof value === 'function'));
}

/** @param {string} file */
export function moduleName(file) {
  return withoutSuffix(file).replace(/^modules\//, '').replace(/\/index$/, '').replaceAll('/', '-');
}
