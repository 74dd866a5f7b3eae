// One vocabulary for types, and what a developer writes for it in each library.
import { z as z4 } from 'zod';
import { z as z3 } from 'zod/v3';
import * as typebox0 from '@sinclair/typebox';
import * as typebox1 from 'typebox';
import * as v from 'valibot';

const apply = (type, calls) => Object.entries(calls).reduce((t, [name, value]) => (value === undefined ? t : t[name](value)), type);
const numbers = o => ({ gte: o.min, lte: o.max, gt: o.above, multipleOf: o.step });

const zod = (z, formats) => ({
  string: (o = {}) => apply(o.format ? formats[o.format]() : z.string(), { min: o.min, max: o.max, regex: o.pattern && new RegExp(o.pattern, 'u') }),
  number: (o = {}) => apply(z.number(), numbers(o)),
  int: () => z.number().int(),
  bool: () => z.boolean(),
  literal: value => z.literal(value),
  enum: values => z.enum(values),
  nullable: type => z.nullable(type),
  optional: type => z.optional(type),
  default: (type, value) => type.default(value),
  describe: (type, text) => type.describe(text),
  array: (type, o = {}) => apply(z.array(type), { min: o.min }),
  tuple: types => z.tuple(types),
  record: type => z.record(z.string(), type),
  union: types => z.union(types),
  kinds: (name, types) => z.discriminatedUnion(name, types),
  object: (fields, o = {}) => (o.closed ? z.object(fields).strict() : z.object(fields)),
  extend: (base, fields) => base.extend(fields),
  tree: fields => {
    const self = z.lazy(() => z.object(fields(self)));
    return self;
  },
});

const typebox = (T, tree) => ({
  string: (o = {}) => T.String({ minLength: o.min, maxLength: o.max, pattern: o.pattern, format: o.format }),
  number: (o = {}) => T.Number({ minimum: o.min, maximum: o.max, exclusiveMinimum: o.above, multipleOf: o.step }),
  int: () => T.Integer(),
  bool: () => T.Boolean(),
  literal: value => T.Literal(value),
  enum: values => T.Union(values.map(value => T.Literal(value))),
  nullable: type => T.Union([type, T.Null()]),
  optional: type => T.Optional(type),
  default: (type, value) => T.Optional({ ...type, default: value }),
  describe: (type, description) => ({ ...type, description }),
  array: (type, o = {}) => T.Array(type, { minItems: o.min }),
  tuple: types => T.Tuple(types),
  record: type => T.Record(T.String(), type),
  union: types => T.Union(types),
  kinds: (name, types) => T.Union(types),
  object: (fields, o = {}) => T.Object(fields, o.closed ? { additionalProperties: false } : {}),
  extend: (base, fields) => T.Intersect([base, T.Object(fields)]),
  tree: fields => tree(T, fields),
});

const pipe = (type, ...actions) => v.pipe(type, ...actions.filter(Boolean));
const valibot = {
  string: (o = {}) => pipe(v.string(), o.min && v.minLength(o.min), o.max && v.maxLength(o.max), o.pattern && v.regex(new RegExp(o.pattern, 'u')), o.format && v[o.format]()),
  number: (o = {}) => pipe(v.number(), o.min !== undefined && v.minValue(o.min), o.max && v.maxValue(o.max), o.above !== undefined && v.gtValue(o.above), o.step && v.multipleOf(o.step)),
  int: () => v.pipe(v.number(), v.integer()),
  bool: () => v.boolean(),
  literal: value => v.literal(value),
  enum: values => v.picklist(values),
  nullable: type => v.nullable(type),
  optional: type => v.optional(type),
  default: (type, value) => v.optional(type, value),
  describe: (type, text) => v.pipe(type, v.description(text)),
  array: (type, o = {}) => pipe(v.array(type), o.min && v.minLength(o.min)),
  tuple: types => v.tuple(types),
  record: type => v.record(v.string(), type),
  union: types => v.union(types),
  kinds: (name, types) => v.variant(name, types),
  object: (fields, o = {}) => (o.closed ? v.strictObject(fields) : v.object(fields)),
  extend: (base, fields) => v.object({ ...base.entries, ...fields }),
  tree: fields => {
    const self = v.lazy(() => root);
    const root = v.object(fields(self));
    return root;
  },
};

// The types of TypeScript as text; bounds are tags in the comment of a field.
const plain = (text, tags = [], more = {}) => ({ text, tags, ...more });
const tagged = (names, o) => Object.entries(names).flatMap(([key, tag]) => (o[key] === undefined ? [] : [`@${tag} ${o[key]}`]));
const fieldsOf = fields => Object.entries(fields).map(([name, t]) => `${t.tags.length ? `/** ${t.tags.join('\n * ')} */\n` : ''}${name}${t.optional ? '?' : ''}: ${t.text};`).join('\n');
const texts = types => types.map(t => t.text);
export const typescript = names => ({
  string: (o = {}) => plain('string', tagged({ min: 'minLength', max: 'maxLength', pattern: 'pattern', format: 'format' }, o)),
  number: (o = {}) => plain('number', tagged({ min: 'minimum', max: 'maximum', above: 'exclusiveMinimum', step: 'multipleOf' }, o)),
  int: () => plain('number', ['@asType integer', '@TJS-type integer']),
  bool: () => plain('boolean'),
  literal: value => plain(JSON.stringify(value)),
  enum: values => plain(values.map(value => JSON.stringify(value)).join(' | ')),
  nullable: type => ({ ...type, text: `${type.text} | null` }),
  optional: type => ({ ...type, optional: true }),
  default: (type, value) => ({ ...type, optional: true, tags: [...type.tags, `@default ${value}`] }),
  describe: (type, text) => ({ ...type, tags: [text, ...type.tags] }),
  array: (type, o = {}) => plain(`Array<${type.text}>`, tagged({ min: 'minItems' }, o)),
  tuple: types => plain(`[${texts(types).join(', ')}]`),
  record: type => plain(`Record<string, ${type.text}>`),
  union: types => plain(texts(types).join(' | ')),
  kinds: (name, types) => plain(texts(types).join(' | ')),
  // TypeScript's types are open or closed as a whole, by an option of the emitter.
  object: fields => plain(`{\n${fieldsOf(fields)}\n}`),
  extend: (base, fields) => plain(`${base.text} & {\n${fieldsOf(fields)}\n}`),
  tree: fields => {
    const name = names.next();
    names.declare(`export interface ${name} {\n${fieldsOf(fields(plain(name)))}\n}`);
    return plain(name);
  },
});

export const zod4 = zod(z4, { uuid: () => z4.uuid(), email: () => z4.email() });
export const zod3 = zod(z3, { uuid: () => z3.string().uuid(), email: () => z3.string().email() });
export const sinclair = typebox(typebox0, (T, fields) => T.Recursive(self => T.Object(fields(self)), { $id: 'Tree' }));
export const typeboxOne = typebox(typebox1, (T, fields) => T.Cyclic({ Tree: T.Object(fields(T.Ref('Tree'))) }, 'Tree'));
export { valibot };
