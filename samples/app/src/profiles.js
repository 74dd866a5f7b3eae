// A second handler of the application, in three versions of which each breaks the callers
// of the one before: fields are renamed, a request needs one more and takes fewer values,
// and objects in a list have another shape. A pod serves it where SAMPLE_ROUTES names a
// path below /profiles.
import { HandlerError } from '@gati-framework/runtime';

import { find } from './people.js';

const states = ['new', 'active', 'closed'];

// What each version takes in a request with a body, and gives in an answer.
const versions = {
  1: {
    check: ({ status }) => status === undefined || states.includes(status),
    answer: (p) => ({ id: p.id, name: `${p.given} ${p.family}`, status: p.status, phones: p.phones.map((number) => ({ kind: 'work', number })) }),
  },
  2: {
    check: ({ status, locale }) => typeof locale === 'string' && (status === undefined || ['new', 'active'].includes(status)),
    answer: (p) => ({ id: p.id, fullName: `${p.given} ${p.family}`, status: p.status, contacts: p.phones.map((value) => ({ type: 'phone', label: 'work', value })) }),
  },
  3: {
    check: ({ state, locale }) => typeof locale === 'string' && (state === undefined || Number.isInteger(state?.code)),
    answer: (p) => ({
      id: p.id, names: { given: p.given, family: p.family }, state: { code: states.indexOf(p.status) },
      contacts: { phone: p.phones.map((value) => ({ label: 'work', value })) },
    }),
  },
};

/** newProfiles returns the handler of the running version. */
export function newProfiles(settings) {
  const [, major] = /^v?(\d+)\./.exec(settings.version) ?? [];
  const { check, answer } = versions[major] ?? versions[3];
  const by = { version: settings.version, handler: settings.handlerId, handlerVersion: settings.handlerVersion, instance: settings.instance };
  return (req, res) => {
    res.header('X-App-Version', settings.version);
    if (req.method === 'POST' && !check(req.body ?? {})) {
      throw new HandlerError(`a request of ${settings.version} does not look like ${JSON.stringify(req.body)}`, 422);
    }
    const user = find(req.params.id);
    if (user === null) throw new HandlerError(`there is no profile ${req.params.id}`, 404);
    const n = Number(user.id);
    const phones = Array.from({ length: n % 3 }, (_, i) => `+1 555 01${String(n % 10)}${String(i)}`);
    res.status(200).json({ ...answer({ ...user, status: states[n % 3], phones }), by });
  };
}
