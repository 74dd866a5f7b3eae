// Callers of v2.0.0 on v3.0.0: a name has two parts, a status is a code, and contacts are
// listed by their type.
const states = ['new', 'active', 'closed'];

/** profileToV3 turns a request of v2.0.0 into one of v3.0.0. */
export function profileToV3({ status, ...rest }) {
  return status === undefined ? rest : { ...rest, state: { code: states.indexOf(status) } };
}

/** profileToV2 turns an answer of v3.0.0 into one of v2.0.0. */
export function profileToV2({ names, state, contacts, ...rest }) {
  return {
    ...rest, fullName: `${names.given} ${names.family}`, status: states[state.code],
    contacts: Object.entries(contacts).flatMap(([type, all]) => all.map((c) => ({ type, ...c }))),
  };
}
