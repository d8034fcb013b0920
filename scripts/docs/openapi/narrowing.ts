import { isRecord, type Json } from './json.ts';
import { nameOf } from './read-document.ts';

/** Good requests must stay good; answers must stay within the released description. */
type Side = 'request' | 'answer';

/** Bounds of which the larger, or the smaller, is the narrower. */
const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const;
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const;

/** Decides whether every value of one schema fits another; each schema refers to parts of its own document. */
export class Narrowing {
  readonly #narrowIn: Json;
  readonly #wideIn: Json;
  readonly #side: Side;
  /** Pairs that are being compared, or were: a schema may refer to itself. */
  readonly #known: Set<string>;

  constructor(narrowIn: Json, wideIn: Json, side: Side, known: ReadonlySet<string> = new Set()) {
    this.#narrowIn = narrowIn;
    this.#wideIn = wideIn;
    this.#side = side;
    this.#known = new Set(known);
  }

  /** Why not every value of `narrow` fits `wide`, one line for each place. */
  faults(narrow: unknown, wide: unknown, place = ''): string[] {
    const pair = `${referenceOf(narrow)} ${referenceOf(wide)}`;
    if (!pair.includes('inline')) {
      if (this.#known.has(pair)) return [];
      this.#known.add(pair);
    }
    const ones = alternativesOf(this.#narrowIn, narrow);
    const others = alternativesOf(this.#wideIn, wide);
    if (ones.length === 1 && others.length === 1) return this.#faultsOfOne(ones[0] ?? {}, others[0] ?? {}, place);
    return ones.flatMap((one) => {
      const [closest = [`${place}: ${this.#words('another kind of value')}`]] = others
        .filter((other) => tagOf(this.#narrowIn, one) === tagOf(this.#wideIn, other))
        .map((other) => new Narrowing(this.#narrowIn, this.#wideIn, this.#side, this.#known).faults(one, other, place))
        .sort((first, second) => first.length - second.length);
      return closest;
    });
  }

  #faultsOfOne(narrow: Json, wide: Json, place: string): string[] {
    const values = valuesOf(narrow);
    const allowed = valuesOf(wide);
    if (allowed !== null) {
      const strays = values?.filter((value) => !allowed.includes(value)) ?? ['any other value'];
      return strays.map((stray) => `${place}: ${this.#words(stray)}`);
    }
    if (wide.type !== undefined && values === null && narrow.type !== wide.type) {
      const isNumber = narrow.type === 'integer' && wide.type === 'number';
      if (!isNumber) return [`${place}: ${this.#words(`a value of type ${narrow.type ?? 'any'}`)}`];
    }
    return [
      ...this.#faultsOfBounds(narrow, wide, place),
      ...this.#faultsOfFields(narrow, wide, place),
      ...this.#faultsOfItems(narrow, wide, place),
    ];
  }

  #faultsOfBounds(narrow: Json, wide: Json, place: string): string[] {
    if (valuesOf(narrow) !== null) return [];
    const isWithin = (bound: string, sign: 1 | -1): boolean => {
      const [own, other] = [narrow[bound], wide[bound]];
      if (typeof other !== 'number') return true;
      return typeof own === 'number' && sign * own >= sign * other;
    };
    const broken = [
      ...lowerBounds.filter((bound) => !isWithin(bound, 1)),
      ...upperBounds.filter((bound) => !isWithin(bound, -1)),
      ...(['pattern', 'allOf'] as const).filter(
        (key) => wide[key] !== undefined && JSON.stringify(narrow[key]) !== JSON.stringify(wide[key]),
      ),
    ];
    return broken.map((bound) => `${place}: ${this.#words(`a value of another ${bound}`)}`);
  }

  #faultsOfFields(narrow: Json, wide: Json, place: string): string[] {
    if (!isRecord(narrow.properties) || !isRecord(wide.properties)) return [];
    const [fields, known] = [narrow.properties, wide.properties];
    const required = (schema: Json): readonly unknown[] => (Array.isArray(schema.required) ? schema.required : []);
    const missing = required(wide).filter((name) => !required(narrow).includes(name));
    const goneAnswers = this.#side === 'answer' ? Object.keys(known).filter((name) => fields[name] === undefined) : [];
    const goneRequests =
      this.#side === 'request' ? Object.keys(fields).filter((name) => known[name] === undefined) : [];
    return [
      ...new Set([...goneAnswers, ...goneRequests].map((name) => `${place}.${name}: is gone`)),
      ...missing
        .filter((name) => this.#side === 'request' || fields[String(name)] !== undefined)
        .map((name) => `${place}.${name}: ${this.#side === 'request' ? 'is required now' : 'may be missing now'}`),
      ...Object.entries(fields)
        .filter(([name]) => known[name] !== undefined)
        .flatMap(([name, field]) => this.faults(field, known[name], `${place}.${name}`)),
    ];
  }

  #faultsOfItems(narrow: Json, wide: Json, place: string): string[] {
    const listed = (schema: Json): readonly unknown[] => (Array.isArray(schema.prefixItems) ? schema.prefixItems : []);
    const positions = listed(wide).flatMap((item, index) =>
      this.faults(listed(narrow)[index] ?? narrow.items ?? {}, item, `${place}[${index}]`),
    );
    if (!isRecord(wide.items)) return positions;
    const rest = isRecord(narrow.items) ? [narrow.items] : listed(narrow);
    return [...positions, ...rest.flatMap((item) => this.faults(item, wide.items, `${place}[]`))];
  }

  #words(value: unknown): string {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return this.#side === 'request' ? `${text} is not taken any more` : `${text} may come now`;
  }
}

const referenceOf = (schema: unknown): string =>
  isRecord(schema) && typeof schema.$ref === 'string' && Object.keys(schema).length === 1 ? schema.$ref : 'inline';

/** The schemas of which a value must fit one, each with the rules beside its reference. */
function alternativesOf(document: Json, schema: unknown): Json[] {
  if (!isRecord(schema)) return [{}];
  const { $ref, oneOf, anyOf, ...own } = schema;
  if (typeof $ref === 'string') {
    const { schemas } = isRecord(document.components) ? document.components : {};
    const named = isRecord(schemas) ? schemas[nameOf($ref)] : undefined;
    return alternativesOf(document, named).map((each) => ({ ...each, ...own }));
  }
  const alternatives = oneOf ?? anyOf;
  if (Array.isArray(alternatives)) return alternatives.flatMap((each) => alternativesOf(document, each));
  return Array.isArray(own.type) ? own.type.map((type) => ({ ...own, type })) : [own];
}

const valuesOf = (schema: Json): readonly unknown[] | null => {
  if ('const' in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
};

/** The tag that distinguishes alternatives: their type, and the fields with a single possible value. */
function tagOf(document: Json, schema: Json): string {
  const fields = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const fixed = fields.flatMap(([name, field]) => {
    const [only, ...others] = alternativesOf(document, field);
    return only !== undefined && others.length === 0 && 'const' in only
      ? [`${name}=${JSON.stringify(only.const)}`]
      : [];
  });
  return [String(schema.type), ...fixed].join(' ');
}
