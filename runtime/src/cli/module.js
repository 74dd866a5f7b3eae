// gati-kubernetes module NAME: a module of the folder that it runs in, as a GatiModule.
import { findApplication, nameOf } from '../application/files.js';
import { loadModule, moduleName } from '../application/modules.js';
import { serveModule } from '../module.js';
import { OptionError } from '../options.js';

/** @param {string[]} args */
export async function run(args) {
  const [name] = args;
  if (args.length !== 1) throw new OptionError('module: it takes the name of one module, such as gati-kubernetes module database');
  const files = findApplication(process.cwd(), 'modules');
  const file = files.modules.find((path) => moduleName(path) === name);
  if (file === undefined) throw new OptionError(`there is no module ${name}; the modules are ${files.modules.map(moduleName).join(', ')}`);
  await serveModule(await loadModule(files, file));
  console.log(`module ${name} is ${nameOf(files, file)}`);
}
