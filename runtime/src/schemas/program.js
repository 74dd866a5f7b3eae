// The application's own TypeScript, and its program over the application's files.
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { OptionError } from '../options.js';

/**
 * @typedef {typeof import('typescript')} TS
 *
 * @typedef {object} Program
 * @property {TS} ts
 * @property {import('typescript').Program} program
 * @property {import('typescript').TypeChecker} checker
 */

const remedy = 'npm install --save-dev typescript@5';

/**
 * @param {string} root the folder of the application
 * @param {string[]} paths
 * @returns {Program}
 */
export function createProgram(root, paths) {
  const ts = loadTypeScript(root);
  const options = { ...readOptions(ts, root), allowJs: true, strictNullChecks: true, noEmit: true, skipLibCheck: true };
  const program = ts.createProgram(paths, options);
  return { ts, program, checker: program.getTypeChecker() };
}

/**
 * @param {string} root
 * @returns {TS}
 */
function loadTypeScript(root) {
  const require = createRequire(join(root, 'package.json'));
  let ts;
  try {
    ts = require('typescript');
  } catch {
    throw new OptionError(`the application has no TypeScript, which reads the types of its handlers; add it with ${remedy}`);
  }
  if (typeof ts.createProgram === 'function') return ts;
  throw new OptionError(`TypeScript ${ts.version} of the application has no programming interface that is stable; add version 5 or 6 with ${remedy}`);
}

/**
 * @param {TS} ts
 * @param {string} root
 * @returns {import('typescript').CompilerOptions}
 */
function readOptions(ts, root) {
  const fallback = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, strict: true };
  const path = join(root, 'tsconfig.json');
  if (!ts.sys.fileExists(path)) return fallback;
  const { config, error } = ts.readConfigFile(path, ts.sys.readFile);
  if (error) throw new OptionError(`${path}: ${ts.flattenDiagnosticMessageText(error.messageText, '\n')}`);
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}
