// One request whose caller speaks another version than the pod: its body goes up the
// chain, the answer comes down. An answer is sent whole or not at all.
import { stackOf } from '../errors.js';
import { Message, TransformerError } from './chain.js';

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {(direction: 'request' | 'response', reason: 'not-json' | 'empty') => void} CountUntouched
 */

// Digests of the body before the transformation.
const digests = ['content-md5', 'digest', 'content-digest', 'repr-digest'];

/** Exchange is one request and its answer. */
export class Exchange {
  refusal = undefined;
  #chain;
  #caller;
  #serving;
  #limit;
  #count;
  #request;

  /**
   * @param {{chain: import('./chain.js').Chain, caller: string, serving: string, answerLimit: number, countUntouched: CountUntouched}} parts
   * @param {IncomingMessage} req
   * @param {string} path
   */
  constructor({ chain, caller, serving, answerLimit, countUntouched }, req, path) {
    this.#chain = chain;
    this.#caller = caller;
    this.#serving = serving;
    this.#limit = answerLimit;
    this.#count = countUntouched;
    this.#request = { method: req.method ?? 'GET', path, headers: req.headers };
  }

  /**
   * The body as the serving version takes it. What is not JSON stays as it is: the
   * handler refuses it as it would refuse it from its own callers.
   * @param {IncomingMessage} req
   * @param {Buffer} body
   * @returns {Promise<Buffer>}
   */
  async transformRequest(req, body) {
    if (!this.#chain.changes(this.#caller, this.#serving, 'request')) return body;
    const parsed = isJSON(req.headers['content-type'], req.headers['content-encoding']) ? parse(body) : undefined;
    if (parsed === undefined) {
      this.#count('request', 'not-json');
      return body;
    }
    const message = new Message(parsed.value, { ...this.#context('request'), status: 0 });
    const { text } = await this.#run('request', () => this.#chain.transformRequest(message, this.#caller, this.#serving));
    return Buffer.from(text);
  }

  /**
   * Holds the answer back until it is whole, and sends it as the caller's version
   * gives it. What is not JSON is sent as it comes.
   * @param {ServerResponse} res
   */
  capture(res) {
    if (!this.#chain.changes(this.#caller, this.#serving, 'response')) return;
    new Capture(res, this.#limit, this.#count, (status, body) => this.#transformResponse(status, body)).begin();
  }

  /**
   * @param {number} status
   * @param {unknown} body
   */
  async #transformResponse(status, body) {
    const message = new Message(body, { ...this.#context('response'), status });
    return this.#run('response', () => this.#chain.transformResponse(message, this.#caller, this.#serving));
  }

  /**
   * Logs what fails; its client learns no more than that.
   * @param {'request' | 'response'} direction
   * @param {() => Promise<Message>} transform
   */
  async #run(direction, transform) {
    try {
      const { body, context } = await transform();
      return { status: context.status, text: encode(body) };
    } catch (error) {
      const cause = error instanceof TransformerError && error.cause !== undefined ? `${error.message}\n${stackOf(error.cause)}` : stackOf(error);
      console.error(`${this.#request.method} ${this.#request.path} of a caller of ${this.#caller} on ${this.#serving}, ${direction}: ${cause}`);
      throw new TransformerError('logged', { cause: error });
    }
  }

  /** @param {'request' | 'response'} direction */
  #context(direction) {
    return { direction, caller: this.#caller, serving: this.#serving, ...this.#request };
  }
}

/** Capture holds back what a handler writes to an answer. */
class Capture {
  #res;
  #limit;
  #count;
  #transform;
  /** @type {Buffer[]} */
  #chunks = [];
  #size = 0;
  #ended = false;
  #own;

  /**
   * @param {ServerResponse} res
   * @param {number} limit
   * @param {CountUntouched} count
   * @param {(status: number, body: unknown) => Promise<{status: number, text: string}>} transform
   */
  constructor(res, limit, count, transform) {
    this.#res = res;
    this.#limit = limit;
    this.#count = count;
    this.#transform = transform;
    const { writeHead, write, end, flushHeaders } = res;
    this.#own = { writeHead, write, end, flushHeaders };
  }

  begin() {
    const res = this.#res;
    /** @param {number} status @param {any[]} args */
    const writeHead = (status, ...args) => {
      res.statusCode = status;
      for (const [name, value] of headerPairs(args[args.length - 1])) res.setHeader(name, value);
      return res;
    };
    /** @param {any} chunk @param {any[]} rest */
    const write = (chunk, ...rest) => {
      if (!this.#isJSON()) return this.#release('not-json').write(chunk, ...rest);
      this.#hold(chunk, rest[0]);
      rest.find((arg) => typeof arg === 'function')?.();
      return true;
    };
    /** @param {any[]} args */
    const end = (...args) => {
      if (this.#ended) return res;
      const [chunk, encoding] = typeof args[0] === 'function' ? [] : args;
      if (this.#size === 0 && (chunk === undefined || chunk === null || chunk.length === 0)) return this.#release('empty').end(...args);
      if (!this.#isJSON()) return this.#release('not-json').end(...args);
      if (chunk !== undefined && chunk !== null) this.#hold(chunk, encoding);
      this.#ended = true;
      void this.#finish(args.find((arg) => typeof arg === 'function'));
      return res;
    };
    Object.assign(res, { writeHead, write, end, flushHeaders: () => {} });
    // The runtime asks whether an answer is on its way.
    Object.defineProperty(res, 'headersSent', { configurable: true, get: () => this.#ended });
  }

  /** @param {(() => void) | undefined} callback */
  async #finish(callback) {
    const res = this.#res;
    const { status, text } = await this.#answer();
    this.#restore();
    if (res.destroyed) return;
    res.statusCode = status;
    for (const name of [...digests, 'transfer-encoding']) res.removeHeader(name);
    res.setHeader('Content-Length', Buffer.byteLength(text));
    res.appendHeader('Vary', 'X-Gati-Version');
    res.end(text, callback);
  }

  async #answer() {
    const failed = { status: 500, text: JSON.stringify({ error: 'Internal Server Error' }) };
    const parsed = this.#size <= this.#limit ? parse(Buffer.concat(this.#chunks)) : undefined;
    if (parsed === undefined) {
      console.error(`the answer is not transformed: ${this.#size <= this.#limit ? 'it is not JSON, though its Content-Type says so' : `it has more than ${this.#limit} bytes`}`);
      return failed;
    }
    try {
      return await this.#transform(this.#res.statusCode, parsed.value);
    } catch {
      return failed; // logged where it failed
    }
  }

  /**
   * Gives the answer back to the handler, as it is.
   * @param {'not-json' | 'empty'} reason
   * @returns {{write: (...args: any[]) => boolean, end: (...args: any[]) => ServerResponse}}
   */
  #release(reason) {
    this.#restore();
    if (reason === 'empty') this.#res.removeHeader('Content-Length');
    else this.#count('response', reason);
    return /** @type {any} */ (this.#res);
  }

  #restore() {
    Object.assign(this.#res, this.#own);
    Reflect.deleteProperty(this.#res, 'headersSent');
  }

  #isJSON() {
    return isJSON(this.#res.getHeader('content-type'), this.#res.getHeader('content-encoding'));
  }

  /**
   * @param {string | Uint8Array} chunk
   * @param {unknown} encoding
   */
  #hold(chunk, encoding) {
    const buffer = typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? /** @type {BufferEncoding} */ (encoding) : 'utf8') : Buffer.from(chunk);
    this.#size += buffer.length;
    if (this.#size <= this.#limit) this.#chunks.push(buffer);
  }
}

/**
 * The headers that writeHead takes: an object, or a flat list of names and values.
 * @param {unknown} headers
 * @returns {[string, any][]}
 */
function headerPairs(headers) {
  if (!Array.isArray(headers)) return typeof headers === 'object' && headers !== null ? Object.entries(headers) : [];
  /** @type {[string, any][]} */
  const pairs = [];
  for (let i = 0; i + 1 < headers.length; i += 2) pairs.push([headers[i], headers[i + 1]]);
  return pairs;
}

/**
 * Reports whether a body is JSON that can be read: an encoded one cannot.
 * @param {unknown} type
 * @param {unknown} encoding
 */
function isJSON(type, encoding) {
  return /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(String(type ?? '')) && /^(?:|identity)$/i.test(String(encoding ?? ''));
}

/**
 * @param {Buffer} body
 * @returns {{value: unknown} | undefined}
 */
function parse(body) {
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return undefined;
  }
}

/** @param {unknown} body */
function encode(body) {
  const text = JSON.stringify(body);
  if (text === undefined) throw new Error('the transformed body is not JSON');
  return text;
}
