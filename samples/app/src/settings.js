// The switches of the sample, from its environment. A value that makes no sense
// stops the program with a sentence: a switch that silently does nothing would
// make a test pass for the wrong reason.

const units = { ms: 1, s: 1000, m: 60_000 };

/** duration reads 250ms, 3s or 1m as milliseconds. */
export function duration(text, name) {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  if (unit === undefined) {
    throw new Error(`${name} is "${text}", want a length of time such as 250ms, 3s or 1m`);
  }
  return Number(number) * units[unit];
}

/** rate reads a share from 0 to 1. */
function rate(text, name) {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new Error(`${name} is "${text}", want a share from 0 to 1, such as 0.1`);
  }
  return value;
}

// What the application may serve; HEAD and OPTIONS are nothing of its own.
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** routes reads "GET /users, DELETE /users/:id" as methods and paths. */
function routes(text, name) {
  return text.split(',').map((route) => {
    const [method, path, ...rest] = route.trim().split(/\s+/);
    if (!methods.includes(method) || !path?.startsWith('/') || rest.length > 0) {
      throw new Error(`${name} has "${route.trim()}", want a method and a path such as GET /users/:id, with commas between several`);
    }
    return { method, path };
  });
}

/** crashTime reads "start", a length of time or a moment as milliseconds from now. */
function crashTime(text, name) {
  if (text === 'start') return 0;
  const moment = /^\d{4}-/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? duration(text, name) : Math.max(0, moment - Date.now());
}

const ownRoutes = [{ method: 'GET', path: '/users/:id' }, { method: 'POST', path: '/users/:id' }];

/** readSettings returns what the environment asks for. */
export function readSettings(env) {
  const read = (name, parse, fallback) => (env[name] === undefined ? fallback : parse(env[name], name));
  return {
    version: env.APP_VERSION ?? 'dev',
    handlerId: env.HANDLER_ID ?? '',
    handlerVersion: env.HANDLER_VERSION ?? '',
    instance: env.INSTANCE_ID ?? env.HOSTNAME ?? 'local',

    routes: read('SAMPLE_ROUTES', routes, ownRoutes),
    failureRate: read('SAMPLE_FAILURE_RATE', rate, 0),
    transformerFailureRate: read('SAMPLE_TRANSFORMER_FAILURE_RATE', rate, 0),
    latency: read('SAMPLE_LATENCY', duration, 0),
    startDelay: read('SAMPLE_START_DELAY', duration, 0),
    // When to end with an error: "start", so long after the start, or from a moment on, at which
    // all pods crash.
    crashAfter: read('SAMPLE_CRASH', crashTime, undefined),
    // When to be ready: "never", or so long after listening.
    readyAfter: read('SAMPLE_READY', (text, name) => (text === 'never' ? Infinity : duration(text, name)), 0),
    // Until when /metrics answers: "never" does it, or so long after the start it ends.
    metricsFor: read('SAMPLE_METRICS', (text, name) => (text === 'never' ? 0 : duration(text, name)), Infinity),
    lameDuck: read('SAMPLE_LAME_DUCK', duration, 5000),
  };
}
