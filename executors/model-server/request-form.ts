import { type OptionalField, optionalFields, type StatedFormat } from '../../contract/captions/caption-translation.ts';

/**
 * The ways to ask for JSON, from the one that binds the answer most. `json_schema` is that of OpenAI. Builds of llama-server before
 * March 2025 take it and ignore it, but follow `schema` beside `json_object`. Other servers have `json_object` alone, or nothing.
 */
const jsonForms = ['json_schema', 'json_object_schema', 'json_object', 'text'] as const;
type JsonForm = (typeof jsonForms)[number];

/** The words of a refusal that mean a field, beside its own name. */
const otherNames: Readonly<Partial<Record<OptionalField, RegExp>>> = {
  reasoning_effort: /\breasoning effort\b|\bthinking\b/i,
  chat_template_kwargs: /\benable_thinking\b/i,
};

/** The steps in which fields are left out for a refusal that names none: those that fewest servers know come first. */
const unnamedSteps: readonly (readonly OptionalField[])[] = [
  ['reasoning_effort', 'chat_template_kwargs', 'stream_options'],
  ['temperature', 'max_completion_tokens'],
  ['stream'],
];

/** The form of a request that a server takes. */
export interface RequestForm {
  readonly json: JsonForm;
  readonly leftOut: readonly OptionalField[];
}

export const firstForm: RequestForm = { json: 'json_schema', leftOut: [] };

/** The words of a server about a request that it refused. */
export interface RefusedRequest {
  readonly message: string | null;
  readonly param: string | null;
}

const isNamed = (name: string, { message, param }: RefusedRequest, also?: RegExp): boolean => {
  const words = `${param ?? ''} ${message ?? ''}`;
  return new RegExp(`\\b${name}\\b`, 'i').test(words) || also?.test(message ?? '') === true;
};

/** The same request with less binding JSON; null if there is none. */
export function looserForm({ json, leftOut }: RequestForm): RequestForm | null {
  const next = jsonForms[jsonForms.indexOf(json) + 1];
  return next === undefined ? null : { json: next, leftOut };
}

const without = ({ json, leftOut }: RequestForm, fields: readonly OptionalField[]): RequestForm | null => {
  const more = fields.filter((field) => !leftOut.includes(field));
  if (more.length === 0) return null;
  return { json, leftOut: optionalFields.filter((field) => leftOut.includes(field) || more.includes(field)) };
};

/** The form to try after a refusal: without the fields that the server names, or else without those that fewest know. Null for none. */
export function formAfter(form: RequestForm, refused: RefusedRequest): RequestForm | null {
  const named = without(
    form,
    optionalFields.filter((field) => isNamed(field, refused, otherNames[field])),
  );
  if (named !== null) return named;
  const isOfFormat = isNamed('(?:response_format|json_schema|json_object|grammar|schema)(?:\\.\\w+)*', refused);
  const [first = [], ...others] = unnamedSteps;
  const tries = [
    ...(isOfFormat ? [looserForm(form)] : []),
    without(form, first),
    looserForm(form),
    ...others.map((fields) => without(form, fields)),
  ];
  return tries.find((next) => next !== null) ?? null;
}

/** The form as records state it. */
export const statedFormat = ({ json }: RequestForm): StatedFormat =>
  json === 'json_object_schema' ? 'json_object' : json;

interface AskedSchema {
  readonly schemaName: string;
  readonly schema: Record<string, unknown>;
}

/** The field that asks for JSON; none for plain text. */
export function responseFormatOf({ json }: RequestForm, { schemaName, schema }: AskedSchema): object {
  if (json === 'text') return {};
  if (json === 'json_object') return { response_format: { type: 'json_object' } };
  const format =
    json === 'json_schema'
      ? { type: json, json_schema: { name: schemaName, strict: true, schema } }
      : { type: 'json_object', schema };
  return { response_format: format };
}
