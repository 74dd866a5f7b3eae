// A handler's versions v1 to v4 for tests and bench: a renamed field, a required field
// added, an enum narrowed, an array of objects reshaped. v1's documents lose nothing on
// their way up and down.

/** Random numbers that a seed repeats. @param {number} seed */
export function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const kinds = ['person', 'company', 'robot'];

/**
 * A random document of v1.
 * @param {() => number} next
 */
export function documentOfV1(next) {
  const text = () => Array.from({ length: Math.floor(next() * 12) }, () => String.fromCodePoint(32 + Math.floor(next() * 0x2fff))).join('');
  return {
    id: Math.floor(next() * 1e9), name: text(), kind: kinds[Math.floor(next() * 3)],
    ...(next() < 0.5 ? { note: next() < 0.2 ? null : text() } : {}),
    addresses: Array.from({ length: Math.floor(next() * 4) }, () => ({ line: text(), zip: String(Math.floor(next() * 1e5)), main: next() < 0.5 })),
  };
}

/** @typedef {Record<string, any>} Doc */

export const functions = {
  // v2: name is fullName, and there is a required field.
  up12: (/** @type {Doc} */ { name, ...rest }) => ({ ...rest, fullName: name, locale: 'en' }),
  down21: (/** @type {Doc} */ { fullName, locale: _, ...rest }) => ({ ...rest, name: fullName }),
  // v3: kind is a person or not, which a field beside it tells.
  up23: (/** @type {Doc} */ { kind, ...rest }) => ({ ...rest, kind: kind === 'robot' ? 'company' : kind, automatic: kind === 'robot' }),
  down32: (/** @type {Doc} */ { kind, automatic, ...rest }) => ({ ...rest, kind: automatic ? 'robot' : kind }),
  // v4: addresses are by purpose.
  up34: (/** @type {Doc} */ { addresses, ...rest }) => ({ ...rest, places: addresses.map((/** @type {Doc} */ { main, ...at }, /** @type {number} */ place) => ({ place, purpose: main ? 'main' : 'other', at })) }),
  down43: (/** @type {Doc} */ { places, ...rest }) => ({ ...rest, addresses: [...places].sort((a, b) => a.place - b.place).map(({ purpose, at }) => ({ ...at, main: purpose === 'main' })) }),
};

export const pairs = {
  hash: 'x', contract: 'v1', run: [], withoutTraffic: [], live: ['v4'], tags: {}, versions: ['v1', 'v2', 'v3', 'v4'],
  pairs: [1, 2, 3].map((n) => ({ from: `v${n}`, to: `v${n + 1}`, request: `up${n}${n + 1}`, response: `down${n + 1}${n}` })),
};
