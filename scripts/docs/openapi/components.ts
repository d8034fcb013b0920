import { z } from 'zod';
import { forGenerators } from './for-generators.ts';
import type { Json } from './json.ts';
import type { NamedSchema } from './named-schemas.ts';

/** Clients send `input` and receive `output`: a default makes a field optional on the way in only. */
type Direction = 'input' | 'output';

const prefix = '#/components/schemas/';

/** Turns schemas into JSON Schema, and collects the named ones that they refer to. */
export class Components {
  readonly #named: ReadonlyMap<z.ZodType, NamedSchema>;
  readonly #converted: Readonly<Record<Direction, ReadonlyMap<string, Json>>>;
  readonly #used = new Map<string, Json>();

  constructor(named: ReadonlyMap<z.ZodType, NamedSchema>) {
    this.#named = named;
    this.#converted = { input: converted(named, 'input'), output: converted(named, 'output') };
  }

  /** A schema as the document has it: a reference if the contract names it. */
  schemaOf(schema: z.ZodType, direction: Direction): Json {
    const name = this.#named.get(schema)?.name;
    const json = name === undefined ? this.#inlined(schema, direction) : { $ref: `${prefix}${name}` };
    for (const used of referencesIn(json)) this.#use(used, direction);
    return json;
  }

  /** Every named schema that something refers to, in the order of names. */
  used(): Json {
    return Object.fromEntries([...this.#used].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #use(name: string, direction: Direction): void {
    const json = this.#converted[direction].get(name);
    if (json === undefined) throw new Error(`no schema has the name ${name}`);
    const known = this.#used.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(json)) {
      throw new Error(`${name} differs between requests and answers: export a schema for each`);
    }
    if (known !== undefined) return;
    this.#used.set(name, json);
    for (const inner of referencesIn(json)) this.#use(inner, direction);
  }

  #inlined(schema: z.ZodType, io: Direction): Json {
    const { $schema, $defs, ...json } = z.toJSONSchema(schema, {
      io,
      metadata: registryOf(this.#named),
      override: sayingRules(this.#named),
    });
    return forGenerators(JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', `"${prefix}`))) as Json;
  }
}

function registryOf(named: ReadonlyMap<z.ZodType, NamedSchema>) {
  const registry = z.registry<{ id?: string }>();
  for (const [schema, { name }] of named) registry.add(schema, { id: name });
  return registry;
}

interface Overridden {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.JSONSchema;
}

const sayingRules =
  (named: ReadonlyMap<z.core.$ZodType, NamedSchema>) =>
  ({ zodSchema, jsonSchema }: Overridden): void => {
    const rules = rulesOf(zodSchema, named);
    if (rules !== '') jsonSchema.description = rules;
    // An empty `prefixItems` is not a valid schema; `maxItems` already makes the list empty.
    if (jsonSchema.prefixItems?.length === 0) delete jsonSchema.prefixItems;
  };

function converted(named: ReadonlyMap<z.ZodType, NamedSchema>, io: Direction): ReadonlyMap<string, Json> {
  const uri = (name: string): string => `${prefix}${name}`;
  const { schemas } = z.toJSONSchema(registryOf(named), { io, uri, override: sayingRules(named) });
  const comments = new Map([...named.values()].map(({ name, comment }) => [name, comment]));
  return new Map(
    Object.entries(schemas).map(([name, { $schema, $id, ...json }]) => {
      const description = [comments.get(name) ?? '', json.description ?? ''].filter((text) => text !== '').join(' ');
      return [name, forGenerators(description === '' ? json : { ...json, description }) as Json];
    }),
  );
}

/** Rules that JSON Schema cannot express: the messages of the refinements, except those inherited from a named schema. */
function rulesOf({ _zod }: z.core.$ZodType, named: ReadonlyMap<z.core.$ZodType, NamedSchema>): string {
  let ancestor = _zod.parent;
  while (ancestor !== undefined && !named.has(ancestor)) ancestor = ancestor._zod.parent;
  const inherited = new Set(ancestor?._zod.def.checks);
  const own = (_zod.def.checks ?? []).filter((check) => !inherited.has(check) && check._zod.def.check === 'custom');
  const rules = own.map(({ _zod: { def } }) => {
    const message = (def.error as ((issue: object) => unknown) | undefined)?.({}) ?? 'a rule that has no words';
    const path = 'path' in def && Array.isArray(def.path) ? def.path.join('.') : '';
    return path === '' ? `${message}` : `${path}: ${message}`;
  });
  return rules.length === 0 ? '' : `Checked besides: ${rules.join('; ')}.`;
}

function referencesIn(json: unknown): string[] {
  if (typeof json !== 'object' || json === null) return [];
  if (Array.isArray(json)) return json.flatMap(referencesIn);
  return Object.entries(json).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value.slice(prefix.length)] : referencesIn(value),
  );
}
