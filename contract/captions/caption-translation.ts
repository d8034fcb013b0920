import { z } from 'zod';
import { recordPart } from '../base/artifact.ts';
import { contentId, count, identity, identityOf, languageTag, positive, wellFormedText } from '../base/grammar.ts';
import { modelName } from '../explanations/executor.ts';
import { captionJobId, captionTranslator } from './caption-line.ts';

/**
 * By how much an answer has to progress, in ms. Without a GPU a model of 7 billion parameters reads 10 to 50 of 700 tokens a
 * second. It loads within minutes from a slow disk. The numbers are choices.
 */
export const progressLimits = {
  /** Until the first token of a model that may have to be loaded. */
  maxLoadMs: 600_000,
  /** Until the first token of any other question. */
  maxFirstTokenMs: 180_000,
  /** Between two tokens. */
  maxTokenGapMs: 60_000,
} as const;

/**
 * How lines are put before a model, and how long all of that may take. A streamed token takes up to 400 bytes. An answer of 2,000
 * tokens at two a second takes 1,000 s, and the three questions for each of 64 lines about two hours.
 */
export const translationLimits = {
  batchLines: 8,
  contextLines: 2,
  maxCompletionTokens: 2000,
  maxProviderResponseBytes: 4_194_304,
  maxOutputBytes: 65_536,
  ...progressLimits,
  maxAskWallMs: 1_200_000,
  maxWallMs: 14_400_000,
} as const;

/** The limits of translations of before, each of whose questions had one limit. */
export const wholeTranslationLimits = {
  batchLines: 8,
  contextLines: 2,
  maxCompletionTokens: 2000,
  maxProviderResponseBytes: 131_072,
  maxOutputBytes: 65_536,
  maxAskWallMs: 60_000,
  maxWallMs: 240_000,
} as const;

/** Largest stored record of a translation, in bytes. */
export const maximumTranslationBytes = 512 * 1024;

/** The most questions in one record of a long translation; the text of an answer has at most `maxOutputBytes`. */
export const maximumPartAsks = 32;

/** The words that a model gets with every question: what changes here changes the identity of the translator. */
export const translationPrompt = z.strictObject({
  schema: z.literal('studio.caption-translation.prompt.v1'),
  version: z.literal('1'),
  system: z.string().min(1),
  /** The JSON schema of the answer for one line; the answer must have each requested line under its id. */
  line: z.record(z.string(), z.json()),
});

const literalLimits = (limits: Readonly<Record<string, number>>) =>
  z.strictObject(Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, z.literal(value)])));

const wholeConfiguration = z.strictObject({
  schema: z.literal('studio.caption-translation.configuration.v1'),
  baseUrl: z.string().min(1),
  model: modelName,
  responseFormat: z.literal('json_schema_strict'),
  temperature: z.literal(0),
  tokenLimitFields: z.array(z.enum(['max_completion_tokens', 'max_tokens'])).min(1),
  limits: literalLimits(wholeTranslationLimits),
  /** No question that the server took is sent again. One that it refuses for now (429, 503) has not been taken. */
  retries: z.literal(0),
  redirects: z.literal('refused'),
});

/** The ways to ask for JSON, from the one that binds the answer most. */
const responseFormats = ['json_schema', 'json_object', 'text'] as const;

/** Fields that a request can do without, where a server refuses them. */
export const optionalFields = [
  'reasoning_effort',
  'chat_template_kwargs',
  'stream_options',
  'temperature',
  'max_completion_tokens',
  'stream',
] as const;

/** The words with which a schema is in the prompt if the server may not enforce it. */
export const schemaInPrompt = 'Answer with one JSON object of this JSON schema, and with nothing else:';

/**
 * The address and settings of a model; the key is never part of it. In `v2` answers are streamed, thinking is switched off, and each
 * question states what the server took of all that.
 */
export const translationConfiguration = z.discriminatedUnion('schema', [
  wholeConfiguration,
  wholeConfiguration.omit({ responseFormat: true }).extend({
    schema: z.literal('studio.caption-translation.configuration.v2'),
    responseFormats: z.tuple([z.literal('json_schema'), z.literal('json_object'), z.literal('text')]),
    schemaInPrompt: z.literal(schemaInPrompt),
    isStreamed: z.literal(true),
    reasoningEffort: z.literal('none'),
    chatTemplateKwargs: z.strictObject({ enable_thinking: z.literal(false) }),
    limits: literalLimits(translationLimits),
  }),
]);

/** What a server took of a request: the way to ask for JSON, and the fields that it refuses. */
export const sentRequest = z.strictObject({
  responseFormat: z.enum(responseFormats),
  leftOut: z.array(z.enum(optionalFields)),
});

/** How lines are put before a program that translates, and how long that may take. */
export const programLimits = {
  batchLines: 8,
  maxLineWallMs: 10_000,
  maxStartWallMs: 60_000,
  maxLineBytes: 65_536,
  maxLineStarts: 2,
  memoryBytes: 1_073_741_824,
} as const;

/** The form in which a line is put before a program: what changes here changes the identity of the translator. */
export const programForm = z.strictObject({
  schema: z.literal('studio.caption-translation.program-form.v1'),
  version: z.literal('1'),
  /** The stream format of Apertium, with a NUL behind each line. */
  stream: z.literal('apertium'),
  /** Expressions for what goes through the program as it is, and for the signs that are escaped. */
  keptApart: z.string().min(1),
  escaped: z.string().min(1),
  /** Behind each line. */
  end: z.string().min(1),
});

/** A program of a machine with everything that its translations follow from: equal configurations give equal translations. */
export const programConfiguration = z.strictObject({
  schema: z.literal('studio.caption-translation.program.v1'),
  program: z.literal('apertium'),
  model: modelName,
  /** Its mode, such as `spa-cat`. */
  mode: z.string().min(1).max(100),
  /** The commands of its pipe in their order: the names of programs, options, and the names of files. */
  pipe: z
    .array(z.array(z.string().min(1).max(400)).min(1))
    .min(1)
    .max(40),
  /** The programs, their own libraries and the data of the languages. */
  files: z.array(z.strictObject({ name: z.string().min(1).max(400), bytes: count, digest: contentId })).min(1),
  limits: z.strictObject(
    Object.fromEntries(Object.entries(programLimits).map(([name, value]) => [name, z.literal(value)])),
  ),
});

const answeredText = wellFormedText.max(4096);

/** The answer for one line: the source as the model repeats it, and its translation. */
export const translatedAnswer = z.strictObject({
  lineId: identityOf(200),
  source: answeredText,
  /** That of a program is its answer with all of its marks and escapes. */
  translation: answeredText,
  /** The language of the translation by script or n-grams; null if the text is too short to identify. */
  identified: languageTag.nullable(),
});

/** One question to a model: which lines, in which exact words, and its outcome. */
export const translationAsk = z.strictObject({
  lineIds: z.array(identityOf(200)).min(1),
  /** Digests of the message and of the JSON schema of the answer. */
  promptContentId: contentId,
  schemaContentId: contentId,
  /** Begins with a closed word; null if there is an answer. */
  failure: z.string().min(1).max(256).nullable(),
  answers: z.array(translatedAnswer),
  /** The language of all translations together. */
  identified: languageTag.nullable(),
  /** As the server names it. */
  model: z.string().min(1).max(200).nullable(),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  /** Absent if there is no answer, and in records of before. */
  sent: sentRequest.optional(),
});

/** All questions to a model and its answers for one production. It cannot be derived again; its verdicts can. */
export const captionTranslation = z.strictObject({
  schema: z.literal('studio.caption-translation.v1'),
  jobId: captionJobId,
  runId: identity,
  transcript: z.strictObject({ artifactId: z.string().regex(/^artifact:[a-f0-9]{64}$/), contentId }),
  translator: captionTranslator,
  prompt: z.discriminatedUnion('schema', [translationPrompt, programForm]),
  configuration: z.discriminatedUnion('schema', [translationConfiguration, programConfiguration]),
  sourceLanguage: languageTag,
  targetLanguage: languageTag,
  asks: z.array(translationAsk).min(1),
  /** The language of all translations together of the lines that the host sent again alone because of the first answers. */
  identifiedAlone: languageTag.nullable(),
  /**
   * The version of the translation gates by which the answers are judged; absent for 1. Numbers 4 and 6 are versions 5 and 7 over one
   * answer for each line. Number 8 is version 7 over the answers of a program.
   */
  gates: z.literal([2, 3, 4, 5, 6, 7, 8]).optional(),
});

/** Questions of a long translation that follow each other, as they are stored. */
export const translationPart = z.strictObject({
  schema: z.literal('studio.caption-translation.part.v1'),
  jobId: captionJobId,
  runId: identity,
  transcript: captionTranslation.shape.transcript,
  /** Counted from 0. */
  index: count,
  asks: z.array(translationAsk).min(1).max(maximumPartAsks),
});

/** A long translation as it is stored: everything but its questions, and the parts that have these. */
export const partedTranslation = captionTranslation.omit({ asks: true }).extend({
  schema: z.literal('studio.caption-translation.v2'),
  parts: z.array(recordPart).min(1),
});

/** The translation of captions in their receipt. Tokens are null if the server stated none for some question. */
export const translationSummary = z.strictObject({
  artifactId: z.string().regex(/^artifact:[a-f0-9]{64}$/),
  contentId,
  translator: captionTranslator,
  asks: positive,
  failedAsks: count,
  models: z.array(z.string()),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  /**
   * The number of questions for each line: in a batch, alone after that, apart from its neighbors, and by itself if these
   * disagree.
   */
  attempts: z.array(z.strictObject({ lineId: identityOf(200), asks: positive })),
});

/** The same of long captions: the number of lines with more than one question, instead of the questions of each. */
export const longTranslationSummary = translationSummary.omit({ attempts: true }).extend({ askedAgain: count });

/** The claim that no translation makes: its words passed gates of structure only. */
export const translationNonClaims = ['translation_meaning_not_assessed'] as const;

export type TranslationPrompt = z.infer<typeof translationPrompt>;
export type TranslationConfiguration = z.infer<typeof translationConfiguration>;
export type StatedFormat = SentRequest['responseFormat'];
export type OptionalField = (typeof optionalFields)[number];
export type SentRequest = z.infer<typeof sentRequest>;
export type ProgramForm = z.infer<typeof programForm>;
export type ProgramConfiguration = z.infer<typeof programConfiguration>;
export type TranslatedAnswer = z.infer<typeof translatedAnswer>;
export type TranslationAsk = z.infer<typeof translationAsk>;
export type CaptionTranslation = z.infer<typeof captionTranslation>;
export type TranslationPart = z.infer<typeof translationPart>;
export type PartedTranslation = z.infer<typeof partedTranslation>;
export type TranslationSummary = z.infer<typeof translationSummary>;
export type LongTranslationSummary = z.infer<typeof longTranslationSummary>;
