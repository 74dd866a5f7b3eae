// What the tests share: an application in this process, and requests to it.
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { serve } from '../src/index.js';

// The runtime starts a timer of 30 s for each request and leaves it. The process of a
// test need not wait for these.
/** @type {(callback: () => void, delay: number) => NodeJS.Timeout} */
const startTimer = globalThis.setTimeout;
globalThis.setTimeout = /** @type {any} */ ((/** @type {() => void} */ callback, /** @type {number} */ delay) => {
  const timer = startTimer(callback, delay);
  return delay >= 10_000 ? timer.unref() : timer;
});

/** Waits until a condition holds. @param {string} what @param {() => unknown} holds */
export async function becomes(what, holds) {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    if (await holds()) return;
    await new Promise((resolve) => startTimer(() => resolve(undefined), 20));
  }
  throw new Error(`not within 30 s: ${what}`);
}

/** @type {string[]} */
const folders = [];
process.on('exit', () => folders.forEach((dir) => rmSync(dir, { recursive: true, force: true })));

/** A directory of its own with files, which goes with the process. @param {Record<string, string>} files */
export async function folder(files) {
  const dir = await mkdtemp(join(tmpdir(), 'gati-'));
  folders.push(dir);
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return dir;
}

let port = 20_000 + (process.pid % 20_000);

/**
 * Starts an application, and stops it after the test.
 * @param {import('node:test').TestContext} t
 * @param {(app: import('@gati-framework/runtime').GatiApp) => unknown} register
 * @param {import('../index.d.ts').Options} [options]
 */
export async function start(t, register, options = {}) {
  const program = await serve(register, { host: '127.0.0.1', port: await freePort(), lameDuck: 0, pairsFile: '/none', ...options });
  t.after(() => program.stop());
  const { host, port } = program.app.getConfig();
  return { ...program, url: `http://${host}:${port}` };
}

/** A port that nothing listens on. @returns {Promise<number>} */
export async function freePort() {
  for (;;) {
    port++;
    const server = http.createServer();
    const free = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/**
 * Sends a request on a connection of its own.
 * @param {string} url
 * @param {{method?: string, headers?: Record<string, string>, body?: string | Buffer}} [request]
 * @returns {Promise<{status: number, headers: http.IncomingHttpHeaders, text: string, json: any}>}
 */
export function ask(url, { method, headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const req = http.request(url, { method: method ?? (body === undefined ? 'GET' : 'POST'), agent: false, headers }, (res) => {
      /** @type {Buffer[]} */
      const chunks = [];
      res.on('data', (chunk) => chunks.push(chunk));
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text, json: /json/.test(res.headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : undefined });
      });
      res.on('error', reject);
    });
    req.on('error', reject);
    req.end(body);
  });
}

/**
 * The series of /metrics by name and labels.
 * @param {string} url
 * @returns {Promise<Record<string, number>>}
 */
export async function series(url) {
  const { text } = await ask(`${url}/metrics`);
  return Object.fromEntries(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => {
    const at = line.lastIndexOf(' ');
    return [line.slice(0, at), Number(line.slice(at + 1))];
  }));
}

/** What is written to console.error during a test. @param {import('node:test').TestContext} t */
export function errorLog(t) {
  const mock = t.mock.method(console, 'error', () => {});
  return () => mock.mock.calls.map((call) => call.arguments.join(' ')).join('\n');
}
