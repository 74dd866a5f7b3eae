// Serves callers of v1.0.0 of the handler hostile on v2.0.0.

/** @typedef {{ __proto__?: "*\/ alert(1) /*", "b\u202e"?: "\u009b" | null | 1.5 | true }} OldInput */

/** @typedef {Record<string, any>} NewInput */

/** @typedef {any} OldOutput */

/** @typedef {any} NewOutput */

/**
 * Turns a request of v1.0.0 into one of v2.0.0.
 * @param {OldInput} body
 * @returns {NewInput}
 */
export function hostileUp(body) {
  return {
    ...body,
    // TODO request-property-became-required: the new schema requires the property "__proto__"; the old one did not
    //   for example {}
    ["__proto__"]: body.__proto__,
    // TODO new-required-request-property: the new schema requires the property "a\u2028b\n"; the old one did not
    //   for example {}
    ["a\u2028b\n"]: body["a\u2028b\n"],
  };
}

/**
 * Turns a response of v2.0.0 into one of v1.0.0.
 * @param {NewOutput} body
 * @returns {OldOutput}
 */
export function hostileDown(body) {
  return body;
}
