// The published runtime's TransformerEngine. Its package does not export it, so it
// is found as a file. docs/gati-application.md has where it is not used as it is.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const place = '@gati-framework/runtime/dist/timescape/transformer.js';

/**
 * @typedef {(data: unknown) => unknown} Step
 * @typedef {{transformRequest?: Step, transformResponse?: Step}} Steps
 * @typedef {{success: boolean, data?: unknown, error?: Error}} Result
 * @typedef {object} Engine
 * @property {(pair: {fromVersion: string, toVersion: string, immutable: true, createdAt: number, createdBy: string, forward: Steps, backward: Steps}) => void} register
 * @property {(from: string, to: string) => boolean} hasTransformer
 * @property {(data: unknown, from: string, to: string, versions: string[]) => Promise<Result>} transformRequest
 * @property {(data: unknown, from: string, to: string, versions: string[]) => Promise<Result>} transformResponse
 */

/**
 * @returns {Promise<new (maxHops: number) => Engine>}
 */
export async function importEngine() {
  const folders = createRequire(import.meta.url).resolve.paths(place) ?? [];
  const file = folders.map((folder) => join(folder, place)).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${place} is not installed; install @gati-framework/runtime beside gati-kubernetes`);
  return (await import(pathToFileURL(file).href)).TransformerEngine;
}
