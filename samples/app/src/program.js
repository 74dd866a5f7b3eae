// What the handler's and the module's program have in common: a Gati application
// that starts as its switches say, can be probed and measured, and stops well.
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, shutdownGlobalContext } from '@gati-framework/runtime';

import { Faults } from './faults.js';
import { Metrics } from './metrics.js';
import { readSettings } from './settings.js';
import { GracefulStop } from './stop.js';

/** run starts a program; register adds its routes. It returns when it listens. */
export async function run(defaultPort, register) {
  surviveClients();
  const settings = settingsOrExit(defaultPort);
  crash(settings);

  const app = createApp({ port: settings.port, host: settings.host, logging: false, instance: { id: settings.instance } });
  const stop = new GracefulStop();
  stop.on(['SIGTERM', 'SIGINT'], settings.lameDuck, () => shutdownGlobalContext(app.getGlobalContext()));
  const metrics = new Metrics(app);
  const health = healthOf(app, settings);
  register(app, settings, new Faults(settings));

  if (settings.startDelay > 0) {
    console.log(`starts in ${settings.startDelay} ms, as SAMPLE_START_DELAY asks for`);
    await sleep(settings.startDelay);
  }
  const server = await listen(app);
  stop.begin(server);
  // Before the runtime's own listener, so that what it refuses is seen as well.
  server.prependListener('request', (req, res) => {
    stop.watch(res);
    metrics.watch(req, res);
  });
  health.listening();
  console.log(`version ${settings.version} listens on ${settings.host}:${settings.port}`);
}

// The runtime has no accessor for its server; the field is private in TypeScript
// only. Nothing has connected yet when this returns.
async function listen(app) {
  await app.listen();
  return app.server;
}

function settingsOrExit(defaultPort) {
  try {
    return readSettings(process.env, defaultPort);
  } catch (error) {
    console.error(`FATAL: ${error.message}`);
    process.exit(2);
  }
}

function crash({ crashAfter }) {
  const die = () => {
    console.error('FATAL: SAMPLE_CRASH asked for it');
    process.exit(1);
  };
  if (crashAfter === 0) die();
  if (crashAfter > 0) setTimeout(die, crashAfter).unref();
}

// A client that goes away in the middle of a body makes the runtime reject a
// promise that nobody waits for, and Node.js ends the process for that.
function surviveClients() {
  process.on('unhandledRejection', (reason) => {
    console.error(`a promise was rejected and nobody waited for it: ${reason?.stack ?? reason}`);
  });
}

// The runtime has no health route of its own.
function healthOf(app, { readyAfter }) {
  let readyAt = Infinity;
  app.get('/health', (_req, res) => {
    const ready = Date.now() >= readyAt;
    res.status(ready ? 200 : 503).json({ status: ready ? 'healthy' : 'starting', uptime: process.uptime() });
  });
  return {
    listening() {
      readyAt = Date.now() + readyAfter;
    },
  };
}
