// The handler of a source file: its exports as the program's loader sees them, without
// running the file.
import { handlerNames } from '../application/handlers.js';

/**
 * @typedef {import('typescript').Node} Node
 * @typedef {import('typescript').SignatureDeclaration} Fn
 *
 * @typedef {object} Source a file's exports
 * @property {Record<string, any>} constants METHOD and ROUTE, as far as they are literals
 * @property {string} [name] that of the handler's export
 * @property {Node} [declaration] what the export is
 * @property {Record<string, import('typescript').Symbol>} exports
 */

/**
 * @param {import('./program.js').Program} program
 * @param {string} path
 * @param {import('../application/files.js').Entry | undefined} entry
 * @returns {Source}
 */
export function readSource({ ts, program, checker }, path, entry) {
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  /** @type {Record<string, import('typescript').Symbol>} */
  const exports = {};
  for (const symbol of module ? checker.getExportsOfModule(module) : []) exports[symbol.name] = resolveAlias(ts, checker, symbol);
  const constants = Object.fromEntries(['METHOD', 'ROUTE'].filter((key) => exports[key]).map((key) => [key, readLiteral(ts, exports[key].valueDeclaration)]));
  const name = handlerNames(Object.keys(exports).sort(), entry?.exportName).find((key) => exports[key]?.declarations?.some((d) => isValue(ts, d)));
  return { constants, name, declaration: name === undefined ? undefined : exports[name].declarations?.[0], exports };
}

/**
 * @param {import('./program.js').TS} ts
 * @param {import('typescript').TypeChecker} checker
 * @param {import('typescript').Symbol} symbol
 */
export function resolveAlias(ts, checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** @param {import('./program.js').TS} ts @param {Node} node */
function isValue(ts, node) {
  return !ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node);
}

/**
 * The value of a text or of a list of texts.
 * @param {import('./program.js').TS} ts
 * @param {Node | undefined} declaration
 */
function readLiteral(ts, declaration) {
  const node = declaration && initializerOf(ts, declaration);
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isArrayLiteralExpression(node)) return node.elements.map((item) => (ts.isStringLiteralLike(item) ? item.text : item.getText()));
  return node.getText();
}

/**
 * What a declaration gives its name to, without what only types have.
 * @param {import('./program.js').TS} ts
 * @param {Node} node
 * @returns {Node | undefined}
 */
function initializerOf(ts, node) {
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) return node.initializer && skipTypes(ts, node.initializer);
  if (ts.isExportAssignment(node)) return skipTypes(ts, node.expression);
  if (ts.isBinaryExpression(node)) return skipTypes(ts, node.right);
  if (node.parent !== undefined && ts.isBinaryExpression(node.parent)) return skipTypes(ts, node.parent.right);
  return node;
}

/** @param {import('./program.js').TS} ts @param {Node} node @returns {Node} */
export function skipTypes(ts, node) {
  while (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) node = node.expression;
  return node;
}

/**
 * @typedef {object} Found
 * @property {Fn} [fn] the function that answers requests
 * @property {Node[]} types the arguments of defineHandler<In, Out>
 */

/**
 * Finds the function of a handler, also as an argument of what wraps it.
 * @param {import('./program.js').Program} program
 * @param {Node | undefined} declaration
 * @returns {Found}
 */
export function findFunction({ ts, checker }, declaration) {
  /** @type {Found} */
  const found = { types: [] };
  /** @type {Set<Node>} */
  const seen = new Set();
  /** @param {Node | undefined} from */
  const visit = (from) => {
    const node = from && initializerOf(ts, from);
    if (node === undefined || found.fn !== undefined || seen.has(node)) return;
    seen.add(node);
    if (ts.isFunctionLike(node) && 'body' in node && node.body) found.fn = node;
    else if (ts.isIdentifier(node)) visitSymbol(checker.getSymbolAtLocation(node));
    else if (ts.isCallExpression(node)) {
      if (node.expression.getText().endsWith('defineHandler')) found.types = [...(node.typeArguments ?? [])];
      node.arguments.forEach(visit);
    }
  };
  /** @param {import('typescript').Symbol | undefined} symbol */
  const visitSymbol = (symbol) => symbol && resolveAlias(ts, checker, symbol).declarations?.forEach(visit);
  visit(declaration);
  return found;
}
