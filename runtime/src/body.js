// Bodies of requests. The published runtime reads any body into memory, and rejects
// a promise that nothing awaits when the client disconnects before the end of one.
import { IncomingMessage } from 'node:http';

/** The client has sent more than it may. */
export class TooLarge extends Error {}
/** The client has disconnected before the end of its body. */
export class Disconnected extends Error {}

/** @param {IncomingMessage} req */
export function hasBody(req) {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/**
 * Reads a body of at most limit bytes.
 * @param {IncomingMessage} req
 * @param {number} limit
 * @returns {Promise<Buffer>}
 */
export function readBody(req, limit) {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > limit) {
      reject(new TooLarge());
      return;
    }
    /** @type {Buffer[]} */
    const chunks = [];
    let size = 0;
    /** @param {Buffer} chunk */
    const take = (chunk) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      req.off('data', take).resume();
      reject(new TooLarge());
    };
    req.on('data', take);
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('close', () => reject(new Disconnected())); // after "end" it has no effect
    req.on('error', () => reject(new Disconnected()));
  });
}

/**
 * The same request with a body that is in memory.
 * @param {IncomingMessage} req
 * @param {Buffer} body
 */
export function withBody(req, body) {
  const out = new IncomingMessage(req.socket);
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders } = req;
  const headers = { ...req.headers, 'content-length': String(body.length) };
  delete headers['transfer-encoding'];
  // Complete: otherwise its end would count as a client that disconnects.
  Object.assign(out, { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, headers, complete: true });
  out.push(body);
  out.push(null);
  return out;
}
