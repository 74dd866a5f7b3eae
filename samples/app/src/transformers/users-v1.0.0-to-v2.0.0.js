// Callers of v1.0.0 and v1.1.0 on v2.0.0, which has split the name in two.

/** splitName turns a request of the old versions into one of v2.0.0. */
export function splitName(body) {
  if (typeof body?.name !== 'string') return body;
  const { name, ...rest } = body;
  const [givenName, ...others] = name.split(' ');
  return { ...rest, givenName, familyName: others.join(' ') };
}

/** joinName turns an answer of v2.0.0 into one of the old versions. */
export function joinName({ givenName, familyName, ...rest }) {
  return { ...rest, name: `${givenName} ${familyName}` };
}
