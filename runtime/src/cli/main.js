#!/usr/bin/env node
// The program gati-kubernetes. Each subcommand is a file of this folder; without one, it serves.
import { OptionError } from '../options.js';

/** @type {Record<string, () => Promise<{run: (args: string[]) => Promise<unknown>}>>} */
const commands = {
  serve: () => import('./serve.js'),
  module: () => import('./module.js'),
  schemas: () => import('./schemas.js'),
};

const usage = `usage: gati-kubernetes [${Object.keys(commands).join(' | ')}]`;

const [name = 'serve', ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, name)) exit(`there is no subcommand "${name}"; ${usage}`);
try {
  await (await commands[name]()).run(args);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  exit(error.message);
}

/** @param {string} message @returns {never} */
function exit(message) {
  console.error(`FATAL: ${message}`);
  process.exit(2);
}
