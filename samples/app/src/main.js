// The handler's program: /users/:id, or what SAMPLE_ROUTES names instead, in the
// version that APP_VERSION names.
import { registerModule } from '@gati-framework/runtime';

import { find } from './people.js';
import { newProfiles } from './profiles.js';
import { run } from './program.js';
import { newHandler } from './users.js';

await run(3000, (app, settings, faults) => {
  const gctx = app.getGlobalContext();
  // Without the module's pods this program does its work.
  if (gctx.modules.directory === undefined) registerModule(gctx, 'directory', { find: async (id) => ({ user: find(id), by: null }) });
  const [users, profiles] = [newHandler(settings), newProfiles(settings)].map((handler) => faults.wrap(handler));
  for (const { method, path } of settings.routes) app.registerRoute(method, path, path.startsWith('/profiles') ? profiles : users);
});
