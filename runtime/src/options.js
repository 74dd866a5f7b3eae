// The options of serve and attach: code wins over environment, environment over the
// default. A value that makes no sense is an error: an option that silently does
// nothing would be found out in production.

/** An option has a value that makes no sense. */
export class OptionError extends Error {
  name = 'OptionError';
}

/** @type {Record<string, number>} */
const units = { ms: 1, s: 1000, m: 60_000 };
/** @type {Record<string, number>} */
const sizes = { '': 1, KiB: 1024, MiB: 1024 ** 2 };

/**
 * Parses 250ms, 3s or 1m, or a number of milliseconds given by code.
 * @param {string | number} value
 * @param {string} name
 */
export function parseDuration(value, name) {
  if (typeof value === 'number' && value >= 0) return value;
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(String(value)) ?? [];
  if (unit === undefined) throw new OptionError(`${name} is "${value}", want a length of time such as 250ms, 3s or 1m`);
  return Number(number) * units[unit];
}

/**
 * Parses 4096, 64KiB or 1MiB as bytes.
 * @param {string | number} value
 * @param {string} name
 */
export function parseSize(value, name) {
  const [, number, unit] = /^(\d+)(|KiB|MiB)$/.exec(String(value)) ?? [];
  if (unit === undefined) throw new OptionError(`${name} is "${value}", want a number of bytes such as 65536, 64KiB or 1MiB`);
  return Number(number) * sizes[unit];
}

/**
 * @param {number} min
 * @param {number} max
 * @param {string} what
 */
function integer(min, max, what) {
  /**
   * @param {string | number} value
   * @param {string} name
   */
  return (value, name) => {
    const parsed = String(value).trim() === '' ? NaN : Number(value);
    if (!Number.isInteger(parsed) || parsed < min || parsed > max) {
      throw new OptionError(`${name} is "${value}", want a ${what} from ${min} to ${max}`);
    }
    return parsed;
  };
}

const parsePort = integer(1, 65535, 'port');
const parseCount = integer(1, 10_000, 'number');

/**
 * The options of a program, each from code, environment or default.
 * @param {import('../index.d.ts').Options} options
 * @param {NodeJS.ProcessEnv} env
 */
export function readOptions(options, env) {
  checkNames(options);
  /**
   * @template T
   * @param {string | number | undefined} given
   * @param {string} variable
   * @param {string | number} fallback
   * @param {(value: string | number, name: string) => T} parse
   */
  const read = (given, variable, fallback, parse) => parse(given ?? env[variable] ?? fallback, variable);
  /** @param {string | number} value */
  const text = (value) => String(value);
  return {
    port: read(options.port, 'PORT', options.defaultPort ?? 3000, parsePort),
    host: read(options.host, 'HOST', '0.0.0.0', text),
    version: read(options.version, 'HANDLER_VERSION', '', text),
    instance: options.instance ?? env.INSTANCE_ID ?? env.HOSTNAME ?? 'local',
    bodyLimit: read(options.bodyLimit, 'GATI_BODY_LIMIT', '1MiB', parseSize),
    answerLimit: read(options.answerLimit, 'GATI_ANSWER_LIMIT', '16MiB', parseSize),
    handlerTimeout: read(options.handlerTimeout, 'GATI_HANDLER_TIMEOUT', '29s', parseDuration),
    keepAlive: read(options.keepAlive, 'GATI_KEEP_ALIVE', '100s', parseDuration),
    lameDuck: read(options.lameDuck, 'GATI_LAME_DUCK', '5s', parseDuration),
    modules: options.modules ?? true,
    callTimeout: read(options.callTimeout, 'GATI_CALL_TIMEOUT', '2s', parseDuration),
    callLimit: read(options.callLimit, 'GATI_CALL_LIMIT', 256, parseCount),
    transformers: options.transformers ?? env.GATI_TRANSFORMERS,
    pairsFile: read(options.pairsFile, 'GATI_PAIRS_FILE', '/etc/gati/transformers/transformers.json', text),
    hopTimeout: read(options.hopTimeout, 'GATI_HOP_TIMEOUT', '5s', parseDuration),
    maxHops: read(options.maxHops, 'GATI_MAX_HOPS', 10, parseCount),
    app: options.app ?? {},
    env,
  };
}

/** @typedef {ReturnType<typeof readOptions>} Settings */

const names = new Set([
  'port', 'defaultPort', 'host', 'version', 'instance', 'bodyLimit', 'answerLimit', 'handlerTimeout', 'keepAlive', 'lameDuck', 'modules',
  'callTimeout', 'callLimit', 'transformers', 'pairsFile', 'hopTimeout', 'maxHops', 'app',
]);

/** @param {object} options */
function checkNames(options) {
  for (const name of Object.keys(options)) {
    if (!names.has(name)) throw new OptionError(`there is no option "${name}"; the options are ${[...names].join(', ')}`);
  }
}
