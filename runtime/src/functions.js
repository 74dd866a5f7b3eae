// The functions of a module by their names: users.findById is that of the group users.
// A caller chooses the name, so only names of this list are ever called.

/**
 * Lists the functions of a module, those of its groups and those of a class.
 * @param {object} object
 * @returns {Map<string, (...args: unknown[]) => unknown>}
 */
export function listFunctions(object) {
  const functions = new Map();
  addFunctions(functions, object, '', new Set());
  return functions;
}

/**
 * @param {Map<string, (...args: unknown[]) => unknown>} functions
 * @param {object} group
 * @param {string} prefix
 * @param {Set<object>} above
 */
function addFunctions(functions, group, prefix, above) {
  if (above.has(group)) return; // A group that has itself.
  for (const key of namesIn(group)) {
    const value = /** @type {Record<string, unknown>} */ (group)[key];
    if (typeof value === 'function') functions.set(prefix + key, value.bind(group));
    else if (isGroup(value)) addFunctions(functions, value, `${prefix}${key}.`, new Set([...above, group]));
  }
}

/** @param {object} group */
function namesIn(group) {
  const names = new Set(Object.keys(group));
  for (let proto = Object.getPrototypeOf(group); proto !== null && proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) {
    for (const name of Object.getOwnPropertyNames(proto)) {
      if (name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(proto, name)?.value === 'function') names.add(name);
    }
  }
  return names;
}

/**
 * Reports whether a value is a plain object: a Map or a client of a database is none.
 * @param {unknown} value
 * @returns {value is object}
 */
function isGroup(value) {
  if (typeof value !== 'object' || value === null) return false;
  const proto = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}
