// What a handler reads and answers, by its calls: req.body as T is a request, and
// res.json(x) with a status below 400 an answer.
import { resolveAlias, skipTypes } from './handler.js';

/**
 * @typedef {import('typescript').Node} Node
 * @typedef {import('typescript').Type} Type
 *
 * @typedef {object} Calls
 * @property {Node[]} answers the arguments of res.json
 * @property {{node: Node, type: Type | undefined}[]} bodies
 */

/**
 * @param {import('./program.js').Program} program
 * @param {import('typescript').SignatureDeclaration} fn
 * @returns {Calls}
 */
export function readCalls(program, fn) {
  const reader = new Reader(program);
  reader.read(fn, 0, 1);
  return reader.calls;
}

class Reader {
  /** @type {Calls} */
  calls = { answers: [], bodies: [] };
  /** @type {Set<string>} */
  #seen = new Set();

  /** @param {import('./program.js').Program} program */
  constructor({ ts, checker }) {
    this.ts = ts;
    this.checker = checker;
  }

  /**
   * @param {import('typescript').SignatureDeclaration} fn
   * @param {number} request the parameter that is the request, -1 for none
   * @param {number} response
   */
  read(fn, request, response) {
    const key = `${fn.getSourceFile().fileName}:${fn.pos}:${request}:${response}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const names = { req: new Set(), body: new Set(), res: new Set() };
    this.#declare(fn.parameters[request]?.name, names, 'req');
    this.#declare(fn.parameters[response]?.name, names, 'res');
    /** @param {Node} node */
    const visit = (node) => {
      this.#visit(node, names);
      this.ts.forEachChild(node, visit);
    };
    if ('body' in fn && fn.body) visit(/** @type {Node} */ (fn.body));
  }

  /**
   * Remembers the symbol of a name, or that of the body that a pattern takes from it.
   * @param {import('typescript').BindingName | undefined} name
   * @param {{req: Set<unknown>, body: Set<unknown>, res: Set<unknown>}} names
   * @param {'req' | 'body' | 'res'} kind
   */
  #declare(name, names, kind) {
    if (name === undefined) return;
    if (this.ts.isIdentifier(name)) names[kind].add(this.checker.getSymbolAtLocation(name));
    else if (kind === 'req' && this.ts.isObjectBindingPattern(name)) {
      for (const part of name.elements) if ((part.propertyName ?? part.name).getText() === 'body') this.#declare(part.name, names, 'body');
    }
  }

  /** @param {Node} node @param {any} names */
  #visit(node, names) {
    const { ts } = this;
    if (ts.isVariableDeclaration(node) && node.initializer && node.type === undefined) {
      if (this.#is(node.initializer, names.req)) this.#declare(node.name, names, 'req');
      if (this.#isBody(node.initializer, names)) this.#declare(node.name, names, 'body');
    }
    if (this.#isBody(node, names) && !ts.isBindingElement(node.parent)) this.#addBody(node);
    if (ts.isCallExpression(node)) this.#visitCall(node, names);
  }

  /** @param {Node} node @param {Set<unknown>} symbols */
  #is(node, symbols) {
    const inner = skipTypes(this.ts, node);
    return this.ts.isIdentifier(inner) && symbols.has(this.checker.getSymbolAtLocation(inner));
  }

  /** @param {Node} node @param {any} names */
  #isBody(node, names) {
    const { ts } = this;
    if (ts.isPropertyAccessExpression(node)) return node.name.text === 'body' && this.#is(node.expression, names.req);
    if (ts.isElementAccessExpression(node)) return node.argumentExpression.getText().slice(1, -1) === 'body' && this.#is(node.expression, names.req);
    return ts.isIdentifier(node) && names.body.has(this.checker.getSymbolAtLocation(node)) && !ts.isVariableDeclaration(node.parent);
  }

  /** @param {Node} node */
  #addBody(node) {
    this.calls.bodies.push({ node, type: this.#typeOfBody(node) });
  }

  /**
   * The type that a body is taken for: by an assertion, a variable, a narrowing, or the
   * schema that parses it.
   * @param {Node} node
   * @returns {Type | undefined}
   */
  #typeOfBody(node) {
    const { ts, checker } = this;
    let outer = node;
    while (ts.isAsExpression(outer.parent) || ts.isTypeAssertionExpression(outer.parent) || ts.isParenthesizedExpression(outer.parent) || ts.isNonNullExpression(outer.parent)) outer = outer.parent;
    const { parent } = outer;
    if (ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression) && parent.arguments.includes(/** @type {any} */ (outer))) {
      const input = checker.getTypeAtLocation(parent.expression.expression).getProperty('_input');
      if (input !== undefined) return checker.getTypeOfSymbolAtLocation(input, node);
    }
    const candidates = [checker.getTypeAtLocation(outer)];
    if (ts.isVariableDeclaration(parent) && parent.type !== undefined) candidates.unshift(checker.getTypeFromTypeNode(parent.type));
    const contextual = checker.getContextualType(/** @type {any} */ (outer));
    if (contextual !== undefined) candidates.push(contextual);
    return candidates.find((type) => !(type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)));
  }

  /** @param {import('typescript').CallExpression} call @param {any} names */
  #visitCall(call, names) {
    const { ts } = this;
    const callee = call.expression;
    if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'json' && this.#isResponse(callee.expression, names)) {
      if (call.arguments.length > 0 && !this.#isError(call, names)) this.calls.answers.push(call.arguments[0]);
      return;
    }
    const request = call.arguments.findIndex((argument) => this.#is(argument, names.req));
    const response = call.arguments.findIndex((argument) => this.#is(argument, names.res));
    if (request < 0 && response < 0) return;
    const symbol = this.checker.getSymbolAtLocation(callee);
    for (const declaration of symbol ? resolveAlias(ts, this.checker, symbol).declarations ?? [] : []) {
      const fn = ts.isVariableDeclaration(declaration) && declaration.initializer ? skipTypes(ts, declaration.initializer) : declaration;
      if (ts.isFunctionLike(fn)) this.read(fn, request, response);
    }
  }

  /** Reports whether an expression is the response, or a chain of calls from it. @param {Node} node @param {any} names @returns {boolean} */
  #isResponse(node, names) {
    if (this.#is(node, names.res)) return true;
    return this.ts.isCallExpression(node) && this.ts.isPropertyAccessExpression(node.expression) && this.#isResponse(node.expression.expression, names);
  }

  /** Reports whether the status of an answer is 400 or above. @param {import('typescript').CallExpression} call @param {any} names */
  #isError(call, names) {
    const status = this.#statusIn(call, names) ?? this.#statusBefore(call, names);
    return status !== undefined && status >= 400;
  }

  /** The status that a chain sets. @param {Node} node @param {any} names @returns {number | undefined} */
  #statusIn(node, names) {
    const { ts } = this;
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
    const { name, expression } = node.expression;
    if (name.text !== 'status' || !this.#isResponse(expression, names)) return this.#statusIn(expression, names);
    const type = node.arguments[0] && this.checker.getTypeAtLocation(node.arguments[0]);
    const values = type === undefined ? [] : (type.isUnion() ? type.types : [type]).map((part) => (part.isNumberLiteral() ? part.value : 0));
    return values.length > 0 ? Math.min(...values) : undefined;
  }

  /** The status that a statement before sets, in the same block. @param {Node} call @param {any} names */
  #statusBefore(call, names) {
    const { ts } = this;
    let statement = call;
    while (statement.parent !== undefined && !ts.isBlock(statement.parent) && !ts.isCaseOrDefaultClause(statement.parent)) statement = statement.parent;
    if (statement.parent === undefined) return undefined;
    const { statements } = /** @type {import('typescript').Block} */ (statement.parent);
    const before = statements.slice(0, statements.indexOf(/** @type {any} */ (statement))).reverse();
    for (const other of before) {
      const status = ts.isExpressionStatement(other) ? this.#statusIn(other.expression, names) : undefined;
      if (status !== undefined) return status;
    }
    return undefined;
  }
}
