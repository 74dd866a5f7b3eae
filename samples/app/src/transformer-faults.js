// Transformers that fail as often as SAMPLE_TRANSFORMER_FAILURE_RATE asks for.
import { readSettings } from './settings.js';

const { transformerFailureRate } = readSettings(process.env);
let owed = 0;

/** failsNow throws where it is a transformer's turn to fail. The share is exact over any run. */
export function failsNow() {
  owed += transformerFailureRate;
  if (owed < 1 - 1e-9) return;
  owed -= 1;
  throw new Error('SAMPLE_TRANSFORMER_FAILURE_RATE asked for it');
}
