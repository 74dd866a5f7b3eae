// Compiled by "npm run lint", never run: the declarations are those of the code.
import type { Handler } from '@gati-framework/runtime';
import * as code from '../src/index.js';
import type * as declared from '../index.d.ts';
import * as samples from '../src/samples.js';
import type * as declaredSamples from '../samples.d.ts';

export const same: typeof declared = code;
export const sameSamples: typeof declaredSamples = samples;

const hello: Handler = (req, res) => res.json({ hello: req.params.name });

export async function uses(): Promise<void> {
  const program = await code.serve((app) => app.get('/:name', hello), { port: 3000, bodyLimit: '1MiB' });
  // @ts-expect-error there is no such option
  await code.serve(() => undefined, { bodyLimits: 1 });
  await program.stop();
}

export const up: declared.Transformer = ({ name, ...rest }, { status }) => ({ ...rest, name, status });

export const typed: Handler = code.defineHandler<{ name: string }, { id: string }>((req, res) => {
  if (req.body.name === '') return res.status(400).json({ error: 'name is empty' });
  // @ts-expect-error an answer has an id
  res.json({ name: req.body.name });
  return res.status(201).header('X-A', 'b').json({ id: req.body.name.toUpperCase() });
});
