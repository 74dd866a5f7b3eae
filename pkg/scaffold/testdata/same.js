// Serves callers of v1.0.0 of the handler same on v2.0.0.

/** @typedef {any} OldInput */

/** @typedef {any} NewInput */

/** @typedef {Record<string, any>} OldOutput */

/** @typedef {Record<string, any>} NewOutput */

/**
 * Turns a request of v1.0.0 into one of v2.0.0.
 * @param {OldInput} body
 * @returns {NewInput}
 */
export function sameUp(body) {
  return body;
}

/**
 * Turns a response of v2.0.0 into one of v1.0.0.
 * @param {NewOutput} body
 * @returns {OldOutput}
 */
export function sameDown(body) {
  return body;
}
