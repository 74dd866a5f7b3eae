// The handler's program: /users/:id, or what SAMPLE_ROUTES names instead, in the
// version that APP_VERSION names.
import { directory } from './directory.js';
import { run } from './program.js';
import { usersOf } from './users.js';

await run(3000, (app, settings, faults) => {
  const handler = faults.wrap(usersOf(settings));
  directory(app, process.env);
  for (const { method, path } of settings.routes) app.registerRoute(method, path, handler);
});
