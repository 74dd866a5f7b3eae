// The module "directory" as the handler sees it: gctx.modules.directory. The
// published runtime calls modules of its own process only, so what is registered
// is a client of the module's pods.
import { ConnectionPool, registerModule } from '@gati-framework/runtime';

import { find } from './people.js';

// The port of a GatiModule unless it names another.
const defaultPort = 50051;

// One attempt; the runtime's RPC client around it makes up to four.
const patience = 2000;

// The runtime's pool lends ten connections a module and lets the others wait; it
// holds no real connection, so this bounds only how many calls run at once.
const atOnce = 256;

/** directory registers the module, or what does its work without one. */
export function directory(app, env) {
  const host = env.GATI_MODULE_DIRECTORY;
  const module = host === undefined ? { find: async (id) => ({ user: find(id), by: null }) } : remote(host);
  registerModule(app.getGlobalContext(), 'directory', module, { connectionPool: new ConnectionPool({ maxConnections: atOnce }) });
}

/** remote returns a module whose methods run in its pods. */
function remote(host) {
  const base = `http://${host.includes(':') ? host : `${host}:${defaultPort}`}`;
  const call = async (method, args) => {
    const response = await fetch(`${base}/${method}`, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ args }), signal: AbortSignal.timeout(patience),
    });
    if (!response.ok) throw new Error(`module directory at ${base} answered ${response.status} to ${method}`);
    return response.json();
  };
  return { find: (id) => call('find', [id]) };
}
