import { z } from 'zod';

/** A schema of the document, as far as a page has words for it. */
export const schemaObject = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  oneOf: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
});

// Whatever was parsed from JSON is JSON: to walk through all examples would take longer than to read the document.
const anyJson = z.custom<z.core.util.JSONType>();

const content = z.record(
  z.string(),
  z.looseObject({
    schema: z.unknown().optional(),
    example: anyJson.optional(),
    examples: z.record(z.string(), z.strictObject({ value: anyJson })).optional(),
  }),
);

const response = z.looseObject({ description: z.string(), content: content.optional() });

/** An operation of the document, as pages and checks read it. */
const operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        description: z.string().optional(),
        required: z.boolean().optional(),
        schema: z.unknown(),
      }),
    )
    .default([]),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.union([z.strictObject({ $ref: z.string() }), response])),
});

/** The parts of the document that pages and checks read. */
export const readableDocument = z.looseObject({
  tags: z.array(z.strictObject({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({
    responses: z.record(z.string(), response),
    schemas: z.record(z.string(), schemaObject),
  }),
});

export type ReadableDocument = z.infer<typeof readableDocument>;
export type Operation = z.infer<typeof operation>;
export type SchemaObject = z.infer<typeof schemaObject>;
type Response = z.infer<typeof response>;

/** The answer for a status; a reference leads to one of the shared answers. */
export function responseOf({ components }: ReadableDocument, answer: Operation['responses'][string]): Response {
  if (!('$ref' in answer)) return answer as Response;
  const shared = components.responses[nameOf(String(answer.$ref))];
  if (shared === undefined) throw new Error(`no answer is named ${answer.$ref}`);
  return shared;
}

/** The last part of a reference. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
