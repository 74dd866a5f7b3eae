// Callers of v1.0.0 on v2.0.0: it renamed name and phones, needs a locale, and takes no
// status closed any more.
import { failsNow } from '../transformer-faults.js';

/** profileUp turns a request of v1.0.0 into one of v2.0.0. */
export function profileUp(body) {
  failsNow();
  const { status, ...rest } = body;
  return { ...rest, locale: 'en', ...(status === undefined ? {} : { status: status === 'closed' ? 'active' : status }) };
}

/** profileDown turns an answer of v2.0.0 into one of v1.0.0. */
export function profileDown({ fullName, contacts, ...rest }) {
  failsNow();
  return { ...rest, name: fullName, phones: contacts.map(({ label, value }) => ({ kind: label, number: value })) };
}
