// The module's program: each exported function is a route. The published runtime
// has no server for modules, so this one is a Gati application like any other.
import { find } from './people.js';
import { run } from './program.js';

await run(50051, (app, settings, faults) => {
  app.post('/find', faults.wrap((req, res) => {
    const [id] = req.body?.args ?? [];
    res.json({ user: find(String(id)), by: settings.instance });
  }));
});
