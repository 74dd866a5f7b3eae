// The files of an application in a folder: handlers, modules, and the manifest that
// upstream's tools write. Nothing of the folder has to be changed for Kubernetes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { OptionError } from '../options.js';

/**
 * @typedef {object} Files
 * @property {string} root
 * @property {string} code the folder that has handlers and modules
 * @property {string[]} handlers paths below code, such as handlers/users/[id].js
 * @property {string[]} modules paths below code
 * @property {Manifest} manifest
 *
 * @typedef {object} Manifest
 * @property {Entry[]} handlers
 * @property {Entry[]} modules
 *
 * @typedef {object} Entry
 * @property {string} relativePath
 * @property {string} [filePath]
 * @property {string} [route]
 * @property {string} [method]
 * @property {string} [exportName]
 */

// Compiled code first. A tsconfig whose files are not all in src/ compiles into dist/src.
const places = ['dist', 'dist/src', 'build', 'src'];

const manifestPath = '.gati/manifests/_app.json';

/**
 * @param {string} root
 * @param {'handlers' | 'modules'} wanted what has to be there
 * @returns {Files}
 */
export function findApplication(root, wanted) {
  const place = places.find((name) => list(join(root, name), wanted).length > 0);
  if (place === undefined) throw new OptionError(missing(root, wanted));
  const code = join(root, place);
  return { root, code, handlers: list(code, 'handlers'), modules: list(code, 'modules'), manifest: readManifest(root) };
}

/**
 * @param {string} root
 * @param {'handlers' | 'modules'} wanted
 */
function missing(root, wanted) {
  const looked = places.map((name) => `${name}/${wanted}`).join(', ');
  const source = join('src', wanted);
  if (existsSync(join(root, source))) return `${join(root, source)} has no JavaScript, and no compiled ${wanted} are in ${looked}; compile first, such as with npx tsc`;
  return `${root} has no ${wanted}: looked for files in ${looked}`;
}

/**
 * Finds the handlers of an application as they are written, compiled or not.
 * @param {string} root
 * @returns {Files}
 */
export function findSources(root) {
  const code = join(root, 'src');
  const handlers = list(code, 'handlers', 'jt');
  if (handlers.length === 0) throw new OptionError(`${join(code, 'handlers')} has no handlers; name the folder of a Gati application`);
  return { root, code, handlers, modules: [], manifest: readManifest(root) };
}

/**
 * Lists the programs below a folder, without tests and types.
 * @param {string} code
 * @param {string} folder
 * @param {'j' | 'jt'} language JavaScript alone, or TypeScript as well
 * @returns {string[]}
 */
function list(code, folder, language = 'j') {
  const top = join(code, folder);
  if (!existsSync(top)) return [];
  /** @type {string[]} */
  const found = [];
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...list(code, path, language));
    else if (new RegExp(`(?<!\\.(test|spec|d))\\.[cm]?[${language}]s$`).test(entry.name)) found.push(path);
  }
  return found.sort();
}

/**
 * @param {string} root
 * @returns {Manifest}
 */
function readManifest(root) {
  const path = join(root, manifestPath);
  if (!existsSync(path)) return { handlers: [], modules: [] };
  /** @type {any} */
  let manifest;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new OptionError(`${path} is not JSON: ${/** @type {Error} */ (error).message}`);
  }
  return { handlers: readEntries(manifest?.handlers), modules: readEntries(manifest?.modules) };
}

/**
 * Modules have a filePath alone, which is a path of the machine that wrote the manifest.
 * @param {unknown} entries
 * @returns {Entry[]}
 */
function readEntries(entries) {
  if (!Array.isArray(entries)) return [];
  return entries.map((entry) => {
    const path = String(entry?.relativePath ?? entry?.filePath ?? '').replaceAll('\\', '/');
    return { ...entry, relativePath: path.replace(/^.*\/src\//, '') };
  });
}

/**
 * Finds the entry of a compiled file: handlers/hello.js is that of handlers/hello.ts.
 * @param {Entry[]} entries
 * @param {string} file
 */
export function findEntry(entries, file) {
  return entries.find((entry) => withoutSuffix(entry.relativePath) === withoutSuffix(file));
}

/** @param {string} file */
export function withoutSuffix(file) {
  return file.replace(/\.[cm]?[jt]s$/, '');
}

/**
 * The path of a file as people know it.
 * @param {Files} files
 * @param {string} file
 */
export function nameOf(files, file) {
  return relative(files.root, join(files.code, file)).split(sep).join('/');
}
