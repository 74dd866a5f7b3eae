// Evolutions of types, written once over the vocabulary of libraries.mjs.
const user = (l, more = {}, options) => l.object({ id: l.string({ format: 'uuid' }), name: l.string(), ...more }, options);
const card = (l, more = {}) => l.object({ kind: l.literal('card'), number: l.string(), ...more });
const cash = l => l.object({ kind: l.literal('cash'), amount: l.number() });
const bank = l => l.object({ kind: l.literal('bank'), iban: l.string() });
const field = type => l => l.object({ value: type(l) });
const from = (old, now) => ({ old: field(old), new: field(now) });
const tree = value => l => l.tree(self => ({ value: value(l), children: l.array(self) }));

export const evolutions = {
  'an optional field is added': { old: l => user(l), new: l => user(l, { nick: l.optional(l.string()) }) },
  'a required field is added': { old: l => user(l), new: l => user(l, { nick: l.string() }) },
  'an optional field is removed': { old: l => user(l, { nick: l.optional(l.string()) }), new: l => user(l) },
  'a required field is removed': { old: l => user(l, { nick: l.string() }), new: l => user(l) },
  'a field becomes required': { old: l => user(l, { nick: l.optional(l.string()) }), new: l => user(l, { nick: l.string() }) },
  'a field becomes optional': { old: l => user(l, { nick: l.string() }), new: l => user(l, { nick: l.optional(l.string()) }) },
  'a field is renamed': { old: l => user(l, { mail: l.string() }), new: l => user(l, { email: l.string() }) },
  'a field gains a default': { old: l => user(l, { size: l.int() }), new: l => user(l, { size: l.default(l.int(), 10) }) },
  'a description changes': { old: l => user(l, { nick: l.describe(l.string(), 'a name') }), new: l => user(l, { nick: l.describe(l.string(), 'another name') }) },
  'an object is closed': { old: l => user(l), new: l => user(l, {}, { closed: true }) },
  'a base type gains an optional field': {
    old: l => l.extend(user(l), { role: l.string() }),
    new: l => l.extend(user(l, { nick: l.optional(l.string()) }), { role: l.string() }),
  },
  'a nested field becomes required': {
    old: l => l.object({ address: l.object({ street: l.string(), zip: l.optional(l.string()) }) }),
    new: l => l.object({ address: l.object({ street: l.string(), zip: l.string() }) }),
  },
  'a type becomes nullable': from(l => l.string(), l => l.nullable(l.string())),
  'a type is no longer nullable': from(l => l.nullable(l.string()), l => l.string()),
  'a string becomes a number': from(l => l.string(), l => l.number()),
  'a number becomes an integer': from(l => l.number(), l => l.int()),
  'an integer becomes a number': from(l => l.int(), l => l.number()),
  'a minimum is raised': from(l => l.number({ min: 1 }), l => l.number({ min: 2 })),
  'a maximum is lowered': from(l => l.number({ max: 100 }), l => l.number({ max: 50 })),
  'nonnegative becomes positive': from(l => l.number({ min: 0 }), l => l.number({ above: 0 })),
  'positive becomes nonnegative': from(l => l.number({ above: 0 }), l => l.number({ min: 0 })),
  'a step is doubled': from(l => l.number({ step: 5 }), l => l.number({ step: 10 })),
  'a minimum length is raised': from(l => l.string({ min: 1 }), l => l.string({ min: 3 })),
  'a maximum length is raised': from(l => l.string({ max: 20 }), l => l.string({ max: 40 })),
  'a pattern is widened': from(l => l.string({ pattern: '^[a-z]+$' }), l => l.string({ pattern: '^[a-z0-9-]+$' })),
  'a pattern is narrowed': from(l => l.string({ pattern: '^[a-z0-9]+$' }), l => l.string({ pattern: '^[a-z][a-z0-9]*$' })),
  'a string gains a format': from(l => l.string(), l => l.string({ format: 'email' })),
  'a format is dropped': from(l => l.string({ format: 'uuid' }), l => l.string()),
  'a literal is added to an enum': from(l => l.enum(['red', 'green']), l => l.enum(['red', 'green', 'blue'])),
  'a literal is removed from an enum': from(l => l.enum(['red', 'green', 'blue']), l => l.enum(['red', 'green'])),
  'a literal becomes a union of literals': from(l => l.literal('red'), l => l.union([l.literal('red'), l.literal('blue')])),
  'a string becomes a literal': from(l => l.string(), l => l.literal('red')),
  'a union gains a type': from(l => l.union([l.string(), l.number()]), l => l.union([l.string(), l.number(), l.bool()])),
  'a union loses a type': from(l => l.union([l.string(), l.number(), l.bool()]), l => l.union([l.string(), l.number()])),
  'a union gains a kind': from(l => l.kinds('kind', [card(l), cash(l)]), l => l.kinds('kind', [card(l), cash(l), bank(l)])),
  'a union loses a kind': from(l => l.kinds('kind', [card(l), cash(l), bank(l)]), l => l.kinds('kind', [card(l), cash(l)])),
  'a kind requires more': from(l => l.kinds('kind', [card(l), cash(l)]), l => l.kinds('kind', [card(l, { holder: l.string() }), cash(l)])),
  'items of an array are widened': from(l => l.array(l.string()), l => l.array(l.union([l.string(), l.number()]))),
  'an array must not be empty': from(l => l.array(l.string()), l => l.array(l.string(), { min: 1 })),
  'an item of a tuple is widened': from(l => l.tuple([l.string(), l.string()]), l => l.tuple([l.string(), l.union([l.string(), l.number()])])),
  'a tuple gains an item': from(l => l.tuple([l.string(), l.number()]), l => l.tuple([l.string(), l.number(), l.bool()])),
  'values of a record are widened': from(l => l.record(l.string()), l => l.record(l.union([l.string(), l.number()]))),
  'values of a tree are widened': { old: tree(l => l.string()), new: tree(l => l.union([l.string(), l.number()])) },
  'values of a tree are narrowed': { old: tree(l => l.union([l.string(), l.number()])), new: tree(l => l.string()) },
};
