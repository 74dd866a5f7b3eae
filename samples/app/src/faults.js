// What a request, or the whole program, is asked to do wrong: fail, be slow, use
// the processor, keep its metrics for itself. Request parameters: ?fail=503, ?latency=3s,
// ?cpu=20ms, ?metrics=never.
import { setTimeout as sleep } from 'node:timers/promises';
import { HandlerError } from '@gati-framework/runtime';

import { duration } from './settings.js';

// Longer requests than this do not reach their end: the runtime gives a handler
// 30 s, whatever its configuration says.
const longest = 29_000;

/** Faults wraps a handler so that it shows the faults it is asked for. */
export class Faults {
  #settings;
  #owed = 0;

  constructor(settings) {
    this.#settings = settings;
  }

  wrap(handler) {
    return async (req, res, gctx, lctx) => {
      const asked = this.#asked(req.query);
      if (req.query.metrics === 'never') this.#settings.metricsFor = 0;
      burn(asked.cpu);
      if (asked.latency > 0) await sleep(asked.latency);
      if (asked.fail !== undefined) throw new HandlerError('the request asked for it', asked.fail);
      if (this.#failsNow()) throw new HandlerError('SAMPLE_FAILURE_RATE asked for it', 500);
      await handler(req, res, gctx, lctx);
    };
  }

  #asked(query) {
    try {
      return {
        cpu: length(query.cpu, 'cpu') ?? 0,
        latency: length(query.latency, 'latency') ?? this.#settings.latency,
        fail: status(query.fail),
      };
    } catch (error) {
      throw new HandlerError(error.message, 400);
    }
  }

  // The share is exact over any run of requests, not only on average, so that a
  // test can count: at 0.1 each tenth fails.
  #failsNow() {
    this.#owed += this.#settings.failureRate;
    if (this.#owed < 1 - 1e-9) return false;
    this.#owed -= 1;
    return true;
  }
}

function length(text, name) {
  if (text === undefined) return undefined;
  const value = duration(String(text), name);
  if (value > longest) throw new Error(`${name} is "${text}", want at most ${longest / 1000}s: the runtime ends a handler after 30 s`);
  return value;
}

function status(text) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 400 || value > 599) {
    throw new Error(`fail is "${text}", want a status from 400 to 599`);
  }
  return value;
}

// Processor time, not time on the clock: on a busy machine that would be less work.
function burn(milliseconds) {
  const begin = process.cpuUsage();
  for (;;) {
    const used = process.cpuUsage(begin);
    if ((used.user + used.system) / 1000 >= milliseconds) return;
    for (let i = 0; i < 10_000; i++) Math.sqrt(i);
  }
}
