// gati-kubernetes serve: the handlers and modules of the folder that it runs in.
import { findApplication } from '../application/files.js';
import { loadHandlers } from '../application/handlers.js';
import { loadModules } from '../application/modules.js';
import { addModule } from '../modules.js';
import { OptionError } from '../options.js';
import { serve } from '../serve.js';

/** @param {string[]} args */
export async function run(args) {
  if (args.length > 0) throw new OptionError(`serve: "${args[0]}" is not understood; it takes no arguments, its options are in the environment`);
  const files = findApplication(process.cwd(), 'handlers');
  const handlers = await loadHandlers(files);
  const modules = await loadModules(files);
  await serve(async (app) => {
    for (const [name, object] of Object.entries(modules)) await addModule(app, name, object);
    for (const { method, route, handler } of handlers) app.registerRoute(method, route, handler);
  });
  for (const { method, route, file } of handlers) console.log(`${method} ${route} is ${file}`);
}
