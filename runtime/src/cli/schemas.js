// gati-kubernetes schemas [DIR]: the schemas of the handlers of a folder, as JSON.
import { realpathSync } from 'node:fs';

import { OptionError } from '../options.js';
import { extractSchemas } from '../schemas/extract.js';

/** @param {string[]} args */
export async function run(args) {
  if (args.length > 1) throw new OptionError('schemas: it takes one folder at most');
  console.log(JSON.stringify(await extractSchemas(realpathSync(args[0] ?? '.')), undefined, 2));
}
