import { z } from 'zod';
import { type ErrorCode, errorCodes, errorEnvelope, errorRemedies } from '../../../contract/base/errors.ts';
import type { Components } from './components.ts';
import type { RecordedRun } from './examples.ts';
import { fieldsOfAnswers, fieldsOfRefusals, type HeaderField, headersOf } from './header-fields.ts';
import type { Json } from './json.ts';
import { pascalCase } from './named-schemas.ts';

/** The answers to refused requests, by status. One that only one code can have is shared by all operations. */
export class Refusals {
  readonly #components: Components;
  readonly #run: RecordedRun;
  readonly #shared = new Map<string, Json>();

  constructor(components: Components, run: RecordedRun) {
    this.#components = components;
    this.#run = run;
  }

  /** The answers for these codes; `fields` are carried beside those of all answers, and such answers are not shared. */
  of(codes: readonly ErrorCode[], fields: readonly HeaderField[] = []): Json {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of new Set(codes))
      byStatus.set(errorCodes[code], [...(byStatus.get(errorCodes[code]) ?? []), code]);
    const answers = [...byStatus].sort(([one], [other]) => one - other);
    return Object.fromEntries(answers.map(([status, these]) => [status, this.#answerOf(these, fields)]));
  }

  /** The shared answers, in the order of their names. */
  shared(): Json {
    return Object.fromEntries([...this.#shared].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #answerOf(codes: readonly ErrorCode[], fields: readonly HeaderField[]): Json {
    const [only, ...others] = codes;
    if (only === undefined || others.length > 0 || fields.length > 0) return this.#refusal(codes, fields);
    const name = pascalCase(only);
    if (!this.#shared.has(name)) this.#shared.set(name, this.#refusal([only], []));
    return { $ref: `#/components/responses/${name}` };
  }

  #refusal(codes: readonly ErrorCode[], fields: readonly HeaderField[]): Json {
    const { schema, error } = errorEnvelope.shape;
    const envelope = z.strictObject({ schema, error: error.extend({ code: z.enum(codes) }) });
    const recorded = codes.flatMap((code) => {
      const value = this.#run.refusals[code];
      return value === undefined ? [] : [[code, { value }] as const];
    });
    return {
      description: codes.map((code) => `\`${code}\`: ${errorRemedies[code]}.`).join('\n'),
      headers: headersOf([...fieldsOfAnswers, ...fields, ...codes.flatMap((code) => fieldsOfRefusals[code] ?? [])]),
      content: {
        'application/json': {
          schema: this.#components.schemaOf(envelope, 'output'),
          ...(recorded.length === 0 ? {} : { examples: Object.fromEntries(recorded) }),
        },
      },
    };
  }
}
