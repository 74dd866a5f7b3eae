// What the handler's and the module's program have in common: the switches of the
// sample. All else that pods need is in gati-kubernetes.
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from 'gati-kubernetes';

import { Faults } from './faults.js';
import { readSettings } from './settings.js';

/** run starts a program; register adds its routes. */
export async function run(defaultPort, register) {
  const settings = settingsOrExit();
  crash(settings);
  let readyAt = Infinity;
  const check = async () => (Date.now() >= readyAt ? { status: 'pass' } : { status: 'fail', message: 'starting' });
  await serve(async (app) => {
    app.getGlobalContext().lifecycle.onHealthCheck('start', check);
    stopMetrics(app, settings);
    register(app, settings, new Faults(settings));
    if (settings.startDelay > 0) {
      console.log(`starts in ${settings.startDelay} ms, as SAMPLE_START_DELAY asks for`);
      await sleep(settings.startDelay);
    }
  }, { defaultPort, lameDuck: settings.lameDuck });
  readyAt = Date.now() + settings.readyAfter;
}

function settingsOrExit() {
  try {
    return readSettings(process.env);
  } catch (error) {
    console.error(`FATAL: ${error.message}`);
    process.exit(2);
  }
}

function stopMetrics(app, settings) {
  const start = Date.now();
  app.use(async (req, res, _gctx, _lctx, next) => {
    if (req.path === '/metrics' && Date.now() - start >= settings.metricsFor) res.status(404).json({ error: 'SAMPLE_METRICS, or a request, asked for it' });
    else await next();
  });
}

function crash({ crashAfter }) {
  const die = () => {
    console.error('FATAL: SAMPLE_CRASH asked for it');
    process.exit(1);
  };
  if (crashAfter === 0) die();
  if (crashAfter > 0) setTimeout(die, crashAfter).unref();
}
