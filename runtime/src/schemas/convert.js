// A type as the JSON Schema of what JSON.stringify makes of its values.

/**
 * @typedef {import('typescript').Type} Type
 * @typedef {Record<string, any> | boolean} Schema
 * @typedef {(path: string, type: string) => void} OnGap called for each place that may hold anything
 */

/** How deep a type is followed; pkg/schema reads schemas of 32 levels. */
const maxDepth = 24;

const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const texts = ['pattern', 'format'];

/** The properties of the branded types of @gati-framework/types, without their prefix. @type {Record<string, string>} */
const brands = {
  minLen: 'minLength', minLength: 'minLength', maxLen: 'maxLength', maxLength: 'maxLength', pattern: 'pattern', format: 'format', min: 'minimum',
  max: 'maximum', exclusiveMin: 'exclusiveMinimum', exclusiveMax: 'exclusiveMaximum', multipleOf: 'multipleOf',
};

/**
 * @param {import('./program.js').Program} program
 * @param {Type} type
 * @param {import('typescript').Node} place where the type is used
 * @param {OnGap} onGap
 * @returns {Schema}
 */
export function convertType(program, type, place, onGap) {
  return new Converter(program, place, onGap).convertRoot(type);
}

class Converter {
  /** Types that are being converted, with their names once they are found in themselves. @type {Map<Type, string>} */
  #open = new Map();
  /** @type {Record<string, Schema>} */
  #definitions = {};

  /**
   * @param {import('./program.js').Program} program
   * @param {import('typescript').Node} place
   * @param {OnGap} onGap
   */
  constructor({ ts, checker }, place, onGap) {
    this.ts = ts;
    this.checker = checker;
    this.place = place;
    this.onGap = onGap;
  }

  /** @param {Type} type @returns {Schema} */
  convertRoot(type) {
    const schema = this.convert(type, '');
    if (Object.keys(this.#definitions).length === 0 || typeof schema === 'boolean') return schema;
    return { ...schema, $defs: this.#definitions };
  }

  /** @param {Type} type @param {string} path @returns {Schema} */
  convert(type, path) {
    const { TypeFlags } = this.ts;
    const { flags } = type;
    if (flags & TypeFlags.Never) return false;
    if (flags & TypeFlags.Null) return { type: 'null' };
    if (flags & TypeFlags.Boolean) return { type: 'boolean' };
    if (flags & (TypeFlags.StringLiteral | TypeFlags.NumberLiteral)) return { const: /** @type {any} */ (type).value };
    if (flags & TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (flags & TypeFlags.StringLike) return { type: 'string' };
    if (flags & TypeFlags.NumberLike && !type.isUnion()) return { type: 'number' };
    if (type.isUnion()) return this.#convertUnion(type, path);
    if (flags & TypeFlags.NonPrimitive) return { type: 'object' };
    if (flags & (TypeFlags.Object | TypeFlags.Intersection)) return this.#convertNamed(type, path);
    const constraint = flags & TypeFlags.Instantiable ? this.checker.getBaseConstraintOfType(type) : undefined;
    return constraint === undefined || constraint === type ? this.#gap(type, path) : this.convert(constraint, path);
  }

  /** @param {Type} type @param {string} path @returns {Schema} */
  #gap(type, path) {
    this.onGap(path, this.checker.typeToString(type));
    return {};
  }

  /** @param {import('typescript').UnionType} type @param {string} path @returns {Schema} */
  #convertUnion(type, path) {
    const parts = type.types.filter((part) => !this.isAbsent(part));
    if (parts.length === 1) return this.convert(parts[0], path);
    return joinSchemas(parts.map((part) => this.convert(part, path)));
  }

  /** Reports whether JSON leaves a value out. @param {Type} type */
  isAbsent(type) {
    const { TypeFlags, SignatureKind } = this.ts;
    return (type.flags & (TypeFlags.Undefined | TypeFlags.Void | TypeFlags.ESSymbolLike)) !== 0
      || this.checker.getSignaturesOfType(type, SignatureKind.Call).length > 0;
  }

  /** @param {Type} type */
  #mayBeAbsent(type) {
    const { TypeFlags } = this.ts;
    if (type.flags & (TypeFlags.Any | TypeFlags.Unknown)) return true;
    return type.isUnion() ? type.types.some((part) => this.isAbsent(part)) : this.isAbsent(type);
  }

  /** Converts what may have itself. @param {Type} type @param {string} path @returns {Schema} */
  #convertNamed(type, path) {
    if (this.#open.has(type)) {
      const name = this.#open.get(type) || this.#uniqueName((type.aliasSymbol ?? type.symbol)?.name ?? 'Type');
      this.#open.set(type, name);
      return { $ref: `#/$defs/${name}` };
    }
    if (this.#open.size === maxDepth) return this.#gap(type, path);
    this.#open.set(type, '');
    const schema = this.#convertComposed(type, path);
    const name = this.#open.get(type);
    this.#open.delete(type);
    if (!name) return schema;
    this.#definitions[name] = schema;
    return { $ref: `#/$defs/${name}` };
  }

  /** @param {string} wanted */
  #uniqueName(wanted) {
    const base = wanted.startsWith('__') ? 'Type' : wanted.replace(/\W/g, '') || 'Type';
    const taken = [...Object.keys(this.#definitions), ...this.#open.values()];
    for (let i = 1, name = base; ; name = base + ++i) if (!taken.includes(name)) return name;
  }

  /** @param {Type} type @param {string} path @returns {Schema} */
  #convertComposed(type, path) {
    const { checker } = this;
    const branded = this.#convertBranded(type, path);
    if (branded !== undefined) return branded;
    if (type.symbol?.name === 'Date') return { type: 'string', format: 'date-time' };
    const [toJSON] = this.#signaturesOf(type.getProperty('toJSON'));
    if (toJSON !== undefined) return this.convert(checker.getReturnTypeOfSignature(toJSON), path);
    if (checker.isTupleType(type)) return this.#convertTuple(/** @type {any} */ (type), path);
    const [item] = checker.isArrayType(type) ? checker.getTypeArguments(/** @type {any} */ (type)) : [];
    if (item !== undefined) return { type: 'array', items: this.convert(item, `${path}/*`) };
    if (['Map', 'Set', 'WeakMap', 'WeakSet', 'Promise'].includes(type.symbol?.name ?? '')) return { type: 'object' };
    return this.#convertObject(type, path);
  }

  /** @param {import('typescript').Symbol | undefined} symbol */
  #signaturesOf(symbol) {
    if (symbol === undefined) return [];
    return this.checker.getSignaturesOfType(this.checker.getTypeOfSymbolAtLocation(symbol, this.place), this.ts.SignatureKind.Call);
  }

  /** A text or number with a brand is an intersection. @param {Type} type @param {string} path @returns {Schema | undefined} */
  #convertBranded(type, path) {
    const { TypeFlags } = this.ts;
    const base = type.isIntersection() ? type.types.find((part) => part.flags & (TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.BooleanLike)) : undefined;
    if (base === undefined) return undefined;
    /** @type {Record<string, any>} */
    const schema = { .../** @type {object} */ (this.convert(base, path)) };
    for (const property of type.getProperties()) {
      const keyword = brands[property.name.replace(/^__(gati_)?/, '')];
      const { value } = /** @type {any} */ (this.checker.getTypeOfSymbolAtLocation(property, this.place));
      if (property.name.startsWith('__') && keyword !== undefined && value !== undefined) schema[keyword] = value;
    }
    return schema;
  }

  /** @param {import('typescript').TupleTypeReference} type @param {string} path @returns {Schema} */
  #convertTuple(type, path) {
    const { minLength, combinedFlags } = type.target;
    const items = this.checker.getTypeArguments(type);
    if (combinedFlags & this.ts.ElementFlags.Variable) {
      return { type: 'array', minItems: minLength, items: joinSchemas(items.map((item) => this.convert(item, `${path}/*`))) };
    }
    return { type: 'array', minItems: minLength, prefixItems: items.map((item, i) => this.convert(item, `${path}/${i}`)), items: false };
  }

  /** @param {Type} type @param {string} path @returns {Schema} */
  #convertObject(type, path) {
    /** @type {Record<string, Schema>} */
    const properties = {};
    const required = [];
    for (const property of this.checker.getPropertiesOfType(type)) {
      const value = this.checker.getTypeOfSymbolAtLocation(property, this.place);
      if (!this.#isWritten(property, value)) continue;
      properties[property.name] = this.#constrain(this.convert(value, `${path}/${property.name}`), property);
      if (!(property.flags & this.ts.SymbolFlags.Optional) && !this.#mayBeAbsent(value)) required.push(property.name);
    }
    const index = this.checker.getIndexTypeOfType(type, this.ts.IndexKind.String);
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required: required.sort() } : {}),
      ...(index !== undefined && !this.isAbsent(index) ? { additionalProperties: this.convert(index, `${path}/*`) } : {}),
    };
  }

  /**
   * Reports whether a property is one of the JSON: functions, names that are symbols and the
   * getters of classes are not, nor are #names.
   * @param {import('typescript').Symbol} property
   * @param {Type} value
   */
  #isWritten(property, value) {
    const { ts } = this;
    if (property.name.startsWith('__@') || this.isAbsent(value)) return false;
    return !property.declarations?.some((d) => isPrivate(ts, d) || (ts.isGetAccessor(d) || ts.isSetAccessor(d)) && ts.isClassLike(d.parent));
  }

  /** Adds what the comment of a property says. @param {Schema} schema @param {import('typescript').Symbol} property @returns {Schema} */
  #constrain(schema, property) {
    /** @type {Record<string, any>} */
    const said = {};
    for (const { name, text } of property.getJsDocTags(this.checker)) {
      const value = this.ts.displayPartsToString(text).trim();
      if (numbers.includes(name) && value !== '' && Number.isFinite(Number(value))) said[name] = Number(value);
      if (texts.includes(name) && value !== '') said[name] = value;
      if (name === 'asType' && value === 'integer') said.type = 'integer';
    }
    return typeof schema === 'boolean' || Object.keys(said).length === 0 ? schema : { ...schema, ...said };
  }
}

/** @param {import('./program.js').TS} ts @param {import('typescript').Declaration} declaration */
function isPrivate(ts, declaration) {
  const name = ts.getNameOfDeclaration(declaration);
  return name !== undefined && ts.isPrivateIdentifier(name);
}

/**
 * Joins schemas as alternatives, in the shortest form.
 * @param {Schema[]} schemas
 * @returns {Schema}
 */
export function joinSchemas(schemas) {
  const parts = distinct(schemas.filter((schema) => schema !== false));
  if (parts.length === 0) return false;
  if (parts.some((part) => part === true || Object.keys(part).length === 0)) return {};
  const isConst = (/** @type {any} */ part) => Object.keys(part).join() === 'const';
  const values = parts.filter(isConst).map((/** @type {any} */ part) => part.const);
  const types = parts.filter((/** @type {any} */ part) => Object.keys(part).join() === 'type').map((/** @type {any} */ part) => part.type);
  const others = parts.filter((/** @type {any} */ part) => !isConst(part) && Object.keys(part).join() !== 'type');
  if (values.includes(true) && values.includes(false)) {
    values.splice(0, values.length, ...values.filter((value) => typeof value !== 'boolean'));
    types.push('boolean');
  }
  /** @type {Schema[]} */
  const joined = [...others];
  if (types.length > 0) joined.unshift({ type: types.length === 1 ? types[0] : types.sort() });
  if (values.length > 0) joined.unshift(values.length === 1 ? { const: values[0] } : { enum: values.sort() });
  return joined.length === 1 ? joined[0] : { anyOf: joined };
}

/** @param {Schema[]} schemas @returns {Schema[]} */
export function distinct(schemas) {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
