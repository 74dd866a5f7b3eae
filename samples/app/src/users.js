// The handler, in its versions. v1.1.0 adds a field; v2.0.0 splits one in two,
// which breaks the callers of the versions before.
import { HandlerError } from '@gati-framework/runtime';

const versions = {
  '1.0': ({ id, given, family }) => ({ id, name: `${given} ${family}` }),
  '1.1': ({ id, given, family, email }) => ({ id, name: `${given} ${family}`, email }),
  '2.0': ({ id, given, family, email }) => ({ id, givenName: given, familyName: family, email }),
};

/** answerOf returns how a version answers; a later patch answers as its minor. */
function answerOf(version) {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return versions[`${major}.${minor}`] ?? versions['2.0'];
}

// Whom a path without :id is about.
const first = '1';

/** newHandler returns the handler of the running version. */
export function newHandler(settings) {
  const answer = answerOf(settings.version);
  const by = {
    version: settings.version, handler: settings.handlerId, handlerVersion: settings.handlerVersion, instance: settings.instance,
  };
  return async (req, res, gctx) => {
    const id = req.params.id ?? first;
    const found = await lookUp(gctx, id);
    res.header('X-App-Version', settings.version);
    if (found.user === null) {
      res.status(404).json({ error: `there is no user ${id}`, by });
      return;
    }
    const received = req.method === 'POST' ? { received: Buffer.byteLength(req.rawBody ?? '') } : {};
    res.status(200).json({ ...answer(found.user), ...received, by: { ...by, module: found.by } });
  };
}

// The runtime answers 500 to what a handler throws and writes it nowhere.
async function lookUp(gctx, id) {
  try {
    return await gctx.modules.directory.find(id);
  } catch (error) {
    console.error(`the module directory failed: ${error.message}`);
    throw new HandlerError('the module directory does not answer', 502);
  }
}
