import type { IncomingHttpHeaders } from 'node:http';
import type { AppConfig, GatiApp, GlobalContext, Handler, LocalContext, Request, Response } from '@gati-framework/runtime';

/** A length of time such as `250ms`, `3s` or `1m`, or a number of milliseconds. */
export type Duration = string | number;
/** A number of bytes, also as `64KiB` or `1MiB`. */
export type Size = string | number;

/** The options of a program. README.md has the variable and the default of each. */
export interface Options {
  /** The port to listen on. */
  port?: number;
  /** The port if neither `port` nor the environment has one. */
  defaultPort?: number;
  /** The address to listen on. */
  host?: string;
  /** The version that this program is. */
  version?: string;
  /** The name of this instance. */
  instance?: string;
  /** How large a request's body may be; larger ones get 413. */
  bodyLimit?: Size;
  /** How large an answer may be that is transformed; larger ones become 500. */
  answerLimit?: Size;
  /** How long a handler may take; longer ones get 504. */
  handlerTimeout?: Duration;
  /** How long an idle connection stays open. */
  keepAlive?: Duration;
  /** How long a stop waits for clients to leave, and how long an idle connection may stay once the version has no traffic. */
  lameDuck?: Duration;
  /** Whether a client is registered for each GATI_MODULE_<NAME>. */
  modules?: boolean;
  /** How long one attempt of a call to a module may take. */
  callTimeout?: Duration;
  /** How many calls to one module may run at once. */
  callLimit?: number;
  /** The folder of the transformers, or their functions by name. */
  transformers?: string | Record<string, unknown>;
  /** The file of the recorded pairs. */
  pairsFile?: string;
  /** How long one hop of a chain may take. */
  hopTimeout?: Duration;
  /** How many hops a chain may have. */
  maxHops?: number;
  /** Further options of the runtime's createApp. */
  app?: AppConfig;
}

/** A program that runs. */
export interface Program {
  app: GatiApp;
  /** Stops without losing a request, as SIGTERM does, and leaves the process running. */
  stop(): Promise<void>;
}

/** Runs an application: `register` adds its routes. Resolves once it listens. */
export function serve(register: (app: GatiApp) => unknown, options?: Options): Promise<Program>;

/** Prepares an application that the program makes itself, before its `listen()`. */
export function attach(app: GatiApp, options?: Options): Program;

/**
 * A client of a module: `client.find('1')` is `POST /find` with `{"args": ["1"]}`, and
 * `client.users.find('1')` is `POST /users.find`.
 */
export function remoteModule(
  name: string, address: string, options?: { timeout?: number },
): any;

/**
 * Serves the functions of an object, those of groups as well, as a GatiModule. Of an object
 * `{ name, init, exports, shutdown, healthCheck }` it serves what `init` returns, or `exports`.
 */
export function serveModule(object: object, options?: Options): Promise<Program>;

/**
 * Registers an object as a module of this process, unless GATI_MODULE_<NAME> leads to its
 * pods. Call it after `attach`, or in `serve`. Await it where the object has an `init`.
 */
export function addModule(app: GatiApp, name: string, object: object): Promise<void>;

/** A request whose body has a type. */
export type TypedRequest<In> = Omit<Request, 'body'> & { body: In };

type ErrorStatus =
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 408 | 409 | 410 | 411 | 412 | 413 | 415 | 416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426
  | 428 | 429 | 431 | 451 | 500 | 501 | 502 | 503 | 504;

/** A response whose JSON has a type, unless its status is one of an error. */
export type TypedResponse<Out> = Omit<Response, 'json' | 'status' | 'header' | 'headers'> & {
  json(data: Out): void;
  status<Code extends number>(code: Code): Code extends ErrorStatus ? Response : TypedResponse<Out>;
  header(...args: Parameters<Response['header']>): TypedResponse<Out>;
  headers(...args: Parameters<Response['headers']>): TypedResponse<Out>;
};

/**
 * A handler whose body and answers have types. They are checked in its code, and are the
 * schemas that `gati-kubernetes schemas` reads.
 */
export function defineHandler<In = unknown, Out = unknown>(
  handler: (req: TypedRequest<In>, res: TypedResponse<Out>, gctx: GlobalContext, lctx: LocalContext) => unknown,
): Handler;

/** An option has a value that makes no sense. */
export class OptionError extends Error {}

/** What a transformer may know of the message it transforms. */
export interface TransformContext {
  direction: 'request' | 'response';
  /** The version that the caller speaks. */
  caller: string;
  /** The version that serves. */
  serving: string;
  method: string;
  path: string;
  /** The headers of the request. */
  headers: IncomingHttpHeaders;
  /** The status of a response; a function may set another. 0 for a request. */
  status: number;
}

/**
 * Turns the body of a request of one version into that of the next, or the body of a
 * response back. Answers of 400 and above reach it only if its `errors` is true.
 */
export interface Transformer {
  (body: any, context: TransformContext): unknown;
  errors?: boolean;
}
