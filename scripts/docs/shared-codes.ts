import { type Operation, type ReadableDocument, responseOf } from './openapi/read-document.ts';

/** The access that an operation needs. */
export const accessOf = ({ security, parameters }: Operation): string => {
  const origin = parameters.find(({ name }) => name === 'Origin');
  if (security?.length === 0) {
    if (origin === undefined) return 'anyone';
    return origin.required === true ? 'origin' : 'grant';
  }
  return origin !== undefined ? 'token and origin' : 'token';
};

/** The codes that the description of an answer lists, each in back ticks. */
export const codesOf = (description: string): string[] =>
  [...description.matchAll(/^(`\w+`): /gm)].map(([, code = '']) => code);

const takesJson = ({ requestBody }: Operation): boolean => requestBody?.content['application/json'] !== undefined;

/** Operations that have codes in common, the largest group first. */
const groups: readonly (readonly [words: string, has: (operation: Operation) => boolean])[] = [
  ['any endpoint', () => true],
  ['one that needs the token', ({ security }) => security?.length !== 0],
  ['one with names in its path', ({ parameters }) => parameters.some((each) => each.in === 'path')],
  ['one with a JSON body', takesJson],
  ['one without a JSON body', (operation) => !takesJson(operation)],
];

/** Codes that operations have in common because of what they take, said once for each group. */
export class SharedCodes {
  readonly #groups: readonly { words: string; has: (operation: Operation) => boolean; codes: Map<string, string> }[];

  constructor(document: ReadableDocument) {
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const said = new Set<string>();
    this.#groups = groups.map(([words, has]) => {
      const codes = new Map([...common(document, all.filter(has))].filter(([code]) => !said.has(code)));
      for (const code of codes.keys()) said.add(code);
      return { words, has, codes };
    });
  }

  /** The table of groups: whom the codes are of, and the codes with their status. */
  rows(): string[][] {
    return this.#groups.map(({ words, codes }) => [
      words,
      [...codes].map(([code, status]) => `${code} (${status})`).join(', '),
    ]);
  }

  /** True if that table contains a code of an operation. */
  hasFor(operation: Operation, code: string): boolean {
    return this.#groups.some(({ has, codes }) => has(operation) && codes.has(code));
  }
}

function common(document: ReadableDocument, operations: readonly Operation[]): ReadonlyMap<string, string> {
  const [first = new Map<string, string>(), ...others] = operations.map(
    ({ responses }) =>
      new Map(
        Object.entries(responses).flatMap(([status, answer]) =>
          codesOf(responseOf(document, answer).description).map((code) => [code, status] as const),
        ),
      ),
  );
  return new Map([...first].filter(([code]) => others.every((other) => other.has(code))));
}
