// Which version a caller speaks, and whether this pod can answer in it.

/** Callers name a version, or one of its tags, in this header; answers name the one that served. */
export const versionHeader = 'x-gati-version';

/**
 * Returns the version that a request names: in its header, by which the gateway chooses
 * pods, else as version in its query.
 * @param {import('node:http').IncomingMessage} req
 */
export function namedVersion(req) {
  const header = req.headers[versionHeader];
  if (header !== undefined) return typeof header === 'string' ? header : header[0];
  const query = /\?(.*)/s.exec(req.url ?? '')?.[1];
  return query === undefined ? undefined : new URLSearchParams(query).get('version') ?? undefined;
}

/**
 * @typedef {import('./pairs.js').Pairs} Pairs
 * @typedef {{status: number, body: {error: string, message: string, live: string[]}}} Refusal
 * @typedef {{caller: string, refusal?: undefined} | {refusal: Refusal, caller?: undefined}} Decision
 */

/**
 * Decides which version a request speaks. Without a known version in its header it
 * speaks the contract.
 * @param {Pairs} pairs
 * @param {string} serving the version of this pod
 * @param {string | undefined} header
 * @param {(caller: string, serving: string) => boolean} serves
 * @returns {Decision}
 */
export function decideCaller(pairs, serving, header, serves) {
  const pin = header === undefined ? undefined : findVersion(pairs, header);
  if (pin !== undefined) {
    if (pin === serving || serves(pin, serving)) return { caller: pin };
    return { refusal: refusePin(pairs, serving, pin) };
  }
  const { contract, run } = pairs;
  // Within a run no version breaks another: the contract is served as it is.
  if (contract === '' || contract === serving || (run.includes(contract) && run.includes(serving))) return { caller: serving };
  if (serves(contract, serving)) return { caller: contract };
  return { refusal: refuse(500, pairs, `${serving} cannot serve callers of ${contract}, the contract of callers without a version`) };
}

/**
 * Finds the version that a header means, by its name or a tag.
 * @param {Pairs} pairs
 * @param {string} header
 */
export function findVersion({ versions, live, tags }, header) {
  const version = Object.hasOwn(tags, header) ? tags[header] : header;
  return versions.includes(version) || live.includes(version) ? version : undefined;
}

/**
 * @param {Pairs} pairs
 * @param {string} serving
 * @param {string} pin
 */
function refusePin(pairs, serving, pin) {
  // Without a list of those that live it may be one of them.
  if (pairs.live.length === 0 || pairs.live.includes(pin)) return refuse(421, pairs, `${serving} cannot serve callers of ${pin}`);
  return refuse(410, pairs, `${pin} is no longer served`);
}

/** @type {Record<number, string>} */
const reasons = { 410: 'Gone', 421: 'Misdirected Request', 500: 'Internal Server Error' };

/**
 * @param {number} status
 * @param {Pairs} pairs
 * @param {string} message
 * @returns {Refusal}
 */
function refuse(status, { live }, message) {
  return { status, body: { error: reasons[status], message, live } };
}
