// The connections of callers without a version. They stay with their pod, also after the
// traffic has moved on: a version without traffic lets go of them, before the contract moves
// to one that it does not serve.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {import('node:http').ServerResponse} ServerResponse
 */

// How long a connection of a caller without a version serves. A client that keeps its
// connections would stay with one pod otherwise, and a drained version would never go.
const maxAge = 60_000;

/** Connections are those whose last request named no version, and those without one yet. */
export class Connections {
  /** @type {Map<Socket, ServerResponse | undefined>} with the answer that is owed */
  #open = new Map();
  /** @type {WeakMap<Socket, number>} when each was opened */
  #opened = new WeakMap();
  #closing = false;
  #grace;
  #maxAge;

  /**
   * @param {number} grace how long one may stay idle while they are closed
   * @param {number} age how long one serves
   */
  constructor(grace, age = maxAge) {
    this.#grace = Math.max(1, grace); // A timeout of 0 is none.
    this.#maxAge = age;
  }

  /** @param {import('node:http').Server} server */
  begin(server) {
    server.on('connection', (socket) => {
      this.#open.set(socket, undefined);
      this.#opened.set(socket, performance.now());
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /**
   * Notes a request, and whether it names a version.
   * @param {Socket} socket
   * @param {ServerResponse} res
   * @param {boolean} isPinned
   */
  watch(socket, res, isPinned) {
    if (this.#closing) socket.setTimeout(0); // One that had no request before has the timeout of close.
    if (isPinned) {
      this.#open.delete(socket);
      return;
    }
    this.#open.set(socket, res);
    if (this.#closing || performance.now() - (this.#opened.get(socket) ?? 0) > this.#maxAge) endConnection(res);
    res.once('close', () => {
      if (this.#open.get(socket) !== res) return;
      this.#open.set(socket, undefined);
      if (this.#closing) socket.setTimeout(this.#grace); // Its headers were sent before.
    });
  }

  /**
   * Closes them, until keep: each answer asks its client to open a new connection, and
   * one that is idle for a while is closed. Resolves once none of now is idle any more.
   */
  async close() {
    this.#closing = true;
    /** @type {Socket[]} */
    const idle = [];
    for (const [socket, res] of this.#open) {
      if (res !== undefined) endConnection(res);
      else idle.push(socket.setTimeout(this.#grace));
    }
    while (this.#closing && idle.some((socket) => this.#isIdle(socket))) await sleep(50);
  }

  /** Keeps connections from now on. */
  keep() {
    this.#closing = false;
  }

  /** @param {Socket} socket */
  #isIdle(socket) {
    return this.#open.has(socket) && this.#open.get(socket) === undefined;
  }
}

/**
 * Asks a client to open a new connection for its next request.
 * @param {ServerResponse} res
 */
export function endConnection(res) {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}
