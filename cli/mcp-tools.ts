import { mkdir, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { AnswerLate, HostError, HostUnreachable, NothingYet } from '../client/host-error.ts';
import { type StudyRequest, spokenLanguage } from '../client/studies.ts';
import type { StudyHost } from '../client/study-host.ts';
import { errorCodes } from '../contract/base/errors.ts';
import { identity, languageTag } from '../contract/base/grammar.ts';
import { version } from '../contract/base/program-version.ts';
import { captionSide } from '../contract/captions/caption-line.ts';
import { type CaptionMethodRows, recognitionWish, requestedMethod } from '../contract/captions/caption-method.ts';
import type { CaptionPlanAnswer } from '../contract/captions/caption-plan.ts';
import type { ShownLine } from '../contract/captions/correction.ts';
import type { Cause } from '../contract/causes/causes.ts';
import { readersRemedy } from '../contract/causes/refusals.ts';
import { refusalCauseOf } from '../contract/causes/stored-failures.ts';
import { causesText, causeText } from '../contract/causes/wording.ts';
import { type ExportArgument, editRate, exportNames, strayArgument } from '../contract/exports.ts';
import type { JournalEvent } from '../contract/journal.ts';
import type { OverviewPart, RuntimeOverview } from '../contract/overview.ts';
import { lifecycle } from '../contract/study/status.ts';
import { failureLine, StartError } from '../options/failures.ts';
import { settingWords } from './commands/caption-ways.ts';
import { captionsOnceChecked } from './commands/captions.ts';
import { type AskedExport, type WrittenFile, writeExport } from './commands/exports.ts';
import { StartRefused } from './terminal/own-host.ts';
import { NoHost } from './terminal/running-host.ts';

/** The most characters of one answer. English JSON has about three to a token, so an answer stays below 20,000 tokens. */
export const maximumAnswerCharacters = 48_000;

/** A part of a list, and where the next part begins; null at the end. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: number | null;
}

/** As many items from a place on as one answer holds: at least one, so that a reader always moves on. */
export function paged<Item>(all: readonly Item[], from: number, limit: number): Page<Item> {
  const items: Item[] = [];
  let characters = 0;
  for (const item of all.slice(from, from + limit)) {
    characters += JSON.stringify(item).length + 1;
    if (items.length > 0 && characters > maximumAnswerCharacters) break;
    items.push(item);
  }
  const next = from + items.length;
  return { items, nextCursor: next < all.length ? next : null };
}

/** The remedy for a refusal, by a tool if there is one; null if none is known. */
const toolRemedyOf = ({ code, hint }: HostError): string | null => readersRemedy(code, 'agent') ?? hint;

/** The answer of a tool to an agent. */
interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

/** Why no host is there, as an answer; null for any other error. The next call searches again. */
function searchFailure(error: unknown) {
  const isSearch = error instanceof NoHost || error instanceof StartRefused || error instanceof StartError;
  if (!isSearch) return null;
  const [message = '', ...hints] = failureLine(error).split('; ');
  const code = error instanceof StartError ? error.code : error.name;
  return { code, message, hint: hints.length === 0 ? null : hints.join('; '), retryable: true };
}

/** Answers with JSON; a refusal of the host is an answer too, with what can be done. */
async function answered(ask: () => Promise<unknown>): Promise<ToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await ask()) }] };
  } catch (error) {
    const noHost = searchFailure(error);
    if (noHost !== null) return { content: [{ type: 'text', text: JSON.stringify(noHost) }], isError: true };
    const isUnanswered = error instanceof HostUnreachable || error instanceof AnswerLate;
    if (!(error instanceof HostError || isUnanswered || error instanceof NothingYet)) throw error;
    const { retryable } = error;
    const cause = error instanceof HostError ? refusalCauseOf(error.code, error.message) : null;
    const words = cause === null ? null : causeText(cause, 'agent');
    const message = words?.what ?? error.message;
    const [code, hint] =
      error instanceof HostError ? [error.code, words?.remedy ?? toolRemedyOf(error)] : [error.name, error.hint];
    return { content: [{ type: 'text', text: JSON.stringify({ code, message, hint, retryable }) }], isError: true };
  }
}

/** The one folder that an agent's exports are written to: agents name no paths. */
export class ExportFolder {
  readonly #given: string | null;
  #folder: Promise<string> | null = null;

  /** Without a folder, a private one in the system's folder for temporary files is made when it is needed; it is left there. */
  constructor(given: string | null) {
    this.#given = given;
  }

  /** Writes an export under a name that follows from the study and from the request. Throws what a client of the host throws. */
  async write(host: StudyHost, runtimeId: string, asked: AskedExport, signal: AbortSignal): Promise<WrittenFile> {
    // An id that an agent made up must not become the name of a file before the host has confirmed it.
    const { runtimeId: known } = await host.status(runtimeId);
    const path = join(await this.#path(), `${known.replace(/^runtime:/, '')}-${nameOf(asked)}`);
    return writeExport(host, known, asked, path, signal);
  }

  async #path(): Promise<string> {
    const known = this.#folder;
    const isGone = known !== null && (await known.then((path) => stat(path)).catch(() => null)) === null;
    // Systems remove old temporary folders while an agent goes on.
    if (isGone && this.#folder === known) this.#folder = null;
    // The next call tries again: the obstacle may be gone by then.
    this.#folder ??= this.#made().catch((error) => {
      this.#folder = null;
      throw error;
    });
    return this.#folder;
  }

  async #made(): Promise<string> {
    if (this.#given === null) return mkdtemp(join(tmpdir(), 'media-study-exports-'));
    await mkdir(this.#given, { recursive: true, mode: 0o700 });
    return this.#given;
  }
}

/** Throws `unknown_query`, as a host does, for an argument that a file does not have. */
function demandArguments(name: AskedExport['name'], given: readonly ExportArgument[]): void {
  const stray = strayArgument(name, given);
  if (stray === null) return;
  const message = `${name} has no ${stray}: leave it out`;
  throw new HostError({ status: 400, code: 'unknown_query', message, retryAfterSeconds: null });
}

/** The name of the file for a request: an answer with other options is another file. */
function nameOf(asked: AskedExport): string {
  if (asked.name === 'bundle') return 'bundle.tar';
  const { side, rate } = asked.options;
  const options = [side ?? [], rate ?? []].flat().map((option) => `.${option}`);
  return asked.name.replace(/(?=\.\w+$)/, options.join(''));
}

interface Following {
  readonly runtimeId: string;
  readonly cursor: number;
  readonly limit: number;
  readonly waitMs: number;
}

/** An event as an agent gets it; the records in it are read by their own tools. */
const seen = ({ seq, type, recordedAt }: JournalEvent) => ({ seq, type, recordedAt });

/** So long one request is held back. */
const longestWaitMs = 8000;

/**
 * The longest wait of a call, in ms. Clients of the protocol give a call up after 60 s (`DEFAULT_REQUEST_TIMEOUT_MSEC` of the
 * SDK), and its answer would be lost.
 */
const longestFollowMs = 50_000;

/** The events after a cursor that one answer holds. Waits for the first, and not for more than came with it. */
async function followed(host: StudyHost, asked: Following, signal: AbortSignal) {
  const { runtimeId, cursor, limit } = asked;
  const waitMs = Math.min(asked.waitMs, longestFollowMs);
  const events: ReturnType<typeof seen>[] = [];
  let nextCursor = cursor;
  let characters = 0;
  const pageWithin = (leftMs: number) =>
    host.events(runtimeId, {
      after: cursor,
      limit: Math.min(limit, 200),
      waitMs: Math.min(leftMs, longestWaitMs),
      signal,
    });
  let page = await pageWithin(waitMs);
  for (let leftMs = waitMs; leftMs > longestWaitMs && page.events.length === 0 && !page.terminal; ) {
    leftMs -= longestWaitMs;
    page = await pageWithin(leftMs);
  }
  for (const event of page.events) {
    characters += JSON.stringify(seen(event)).length;
    if (characters > maximumAnswerCharacters) break;
    events.push(seen(event));
    nextCursor = event.seq;
  }
  const hasEnded = page.terminal && nextCursor === page.journalHead;
  return { lifecycle: page.lifecycle, reason: page.reason, events, nextCursor, hasEnded };
}

/** Places of each finding that an agent sees where all of them are too many for one answer. */
const fewPlaces = 5;

/** A part of a study with its causes in the terms of the tools. */
const seenPart = (part: OverviewPart): OverviewPart =>
  part.causes.length === 0 ? part : { ...part, text: causesText(part.causes, 'agent') };

/** An overview within one answer: what is too long loses places first, which `read_evidence` has, and then findings. */
function seenOverview(whole: RuntimeOverview): object {
  const [captions, check, explanations] = [whole.captions, whole.check, whole.explanations].map(seenPart);
  const overview = { ...whole, captions, check, explanations };
  if (JSON.stringify(overview).length <= maximumAnswerCharacters) return overview;
  const findings = overview.findings.map((finding) => ({ ...finding, places: finding.places.slice(0, fewPlaces) }));
  const shorter = { ...overview, findings, isShortened: true };
  if (JSON.stringify(shorter).length <= maximumAnswerCharacters) return shorter;
  return { ...shorter, findings: findings.map(({ kind, title, state, text }) => ({ kind, title, state, text })) };
}

/** A line as an agent gets it, and as files have it: times and both texts. */
const seenLine = ({ id: lineId, startMs, endMs, source, target }: ShownLine) => ({
  lineId,
  startMs,
  endMs,
  source: source.text,
  target: target.text,
});

const runtimeId = z.string().describe('the runtimeId of a study');

/** A row has about 600 characters, so that a page of the most rows stays within one answer. */
const mostRows = 50;

/** The tools about studies as wholes: which there are, ending one, and writing one as a file. */
function registerRuntimeTools(server: McpServer, host: StudyHost, exports: ExportFolder): void {
  server.registerTool(
    'list_runtimes',
    {
      description: 'The studies of this host, the newest first: all, those of one source, or those in one state.',
      inputSchema: z.strictObject({
        sourceSessionId: z.string().optional().describe('only studies of this source'),
        lifecycle: lifecycle.optional().describe('only studies in this state'),
        after: z.string().optional().describe('where to go on: nextCursor of the answer before'),
        limit: z.number().int().min(1).max(mostRows).default(20),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ sourceSessionId, lifecycle: state, after, limit }) =>
      answered(async () => {
        const { runtimes, damaged, nextCursor } = await host.runtimes({
          limit,
          ...(sourceSessionId !== undefined && { sourceSessionId }),
          ...(state !== undefined && { lifecycle: state }),
          ...(after !== undefined && { after }),
        });
        return { items: runtimes, damaged, nextCursor };
      }),
  );
  server.registerTool(
    'cancel_study',
    {
      description:
        'Ends a study that has not ended. What it stored stays readable; it does not go on again. It is then interrupted, and the message of its reason begins with canceled: no failure.',
      inputSchema: z.strictObject({ runtimeId }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    },
    ({ runtimeId: id }) =>
      answered(async () => {
        const { lifecycle: state, terminal, reason } = await host.cancel(id);
        return { runtimeId: id, lifecycle: state, terminal, reason };
      }),
  );
  server.registerTool(
    'export_study',
    {
      description:
        'Writes a study as a file on this machine and answers with its path. The file is for another program, or is the whole study as a signed bundle without its media.',
      inputSchema: z.strictObject({
        runtimeId,
        name: z.enum(['bundle', ...exportNames]),
        side: captionSide.optional().describe('of captions: which text of each line'),
        rate: editRate
          .optional()
          .describe('of cuts: frames a second, if not those of the film; needed for a film of a variable rate'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ runtimeId: id, name, side, rate }, { signal }) =>
      answered(() => {
        const options = { ...(side && { side }), ...(rate && { rate }) };
        demandArguments(name, Object.keys(options) as ExportArgument[]);
        return exports.write(host, id, name === 'bundle' ? { name, media: false } : { name, options }, signal);
      }),
  );
}

/** The methods of captions as an agent gets them: obstacles in its terms, and what a person has to permit. */
const seenMethods = ({ chosen, methods }: CaptionMethodRows) => ({
  chosen,
  methods: methods.map(({ use, confirmation: _, obstacles, permissions, ...row }) => ({
    ...row,
    obstacles: obstacles.map((cause) => ({ ...cause, text: causesText([cause], 'agent') })),
    permissions,
    ...(permissions.length > 0 && {
      permission: `only a person can permit this: tell them to run media-study caption, or media-study settings set ${settingWords(use)}`,
    }),
  })),
});

const seenPlanEntries = 64;

/** A caption plan as an agent gets it: short lists, and remarks and obstacles in its terms. */
function seenPlan({ runtimeId: id, digest, plan }: CaptionPlanAnswer) {
  const inWords = <Of extends Cause>(causes: readonly Of[]) =>
    causes.map((each) => ({ ...each, text: causesText([each], 'agent') }));
  const first = <Entry>(entries: readonly Entry[]): Entry[] => entries.slice(0, seenPlanEntries);
  return {
    runtimeId: id,
    digest,
    ...plan,
    gaps: first(plan.gaps),
    leftOut: first(plan.leftOut),
    apart: first(plan.apart),
    withoutSpeech: first(plan.withoutSpeech),
    remarks: inWords(plan.remarks),
    obstacles: inWords(plan.obstacles),
  };
}

/** The tools about the methods of captions. To permit one is up to a person. */
function registerMethodTools(server: McpServer, host: StudyHost): void {
  server.registerTool(
    'read_caption_methods',
    {
      description:
        'The methods that captions of a study can have, the preferred one first: its state, what it sends where, and what is in its way.',
      inputSchema: z.strictObject({ runtimeId }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ runtimeId: id }) => answered(async () => seenMethods(await host.captions.methods(id))),
  );
  server.registerTool(
    'read_caption_plan',
    {
      description:
        'What captions of a study will be made of, before a person approves them. It has the tracks and why, how they lie against the speech, and speech without a line. Then the lines left out, and the obstacles. A person reads it before an approval. Lists are cut to the first entries; counts are whole.',
      inputSchema: z.strictObject({
        runtimeId,
        method: requestedMethod.optional().describe('the way to captions; the method of the host without it'),
        tracks: z
          .array(z.number().int().min(0))
          .max(2)
          .default([])
          .describe('stream indexes of text tracks that a person chose, one for each side'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ runtimeId: id, method, tracks }) =>
      answered(async () => seenPlan(await host.captions.plan(id, { ...(method !== undefined && { method }), tracks }))),
  );
  server.registerTool(
    'produce_captions',
    {
      description:
        'Makes captions of a study that a person has approved, by a method that is permitted; read_captions reads them. A method that translates sends their text to the server that read_caption_methods names.',
      inputSchema: z.strictObject({
        runtimeId,
        method: requestedMethod.default('auto').describe('auto takes the first that is ready'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    ({ runtimeId: id, method }) =>
      answered(async () => {
        const { captions } = await host.captions.produce(id, { method });
        return { runtimeId: id, captions: captions.map(({ jobId, receiptId }) => ({ jobId, receiptId })) };
      }),
  );
}

/** The tool about the subtitle files of sources. To attach one takes the attestation of a person, which no agent gives. */
function registerSubtitleTools(server: McpServer, host: StudyHost): void {
  server.registerTool(
    'list_subtitles',
    {
      description:
        'The subtitle files that are attached to a source, with language, format and what was measured of their cues. A person attaches one: media-study subtitles SOURCE FILE, or the console.',
      inputSchema: z.strictObject({ sourceSessionId: z.string().describe('a sourceSessionId of list_sources') }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ sourceSessionId }) => answered(() => host.subtitles.list(sourceSessionId)),
  );
}

const cursor = z.number().int().min(0).default(0).describe('where to go on: nextCursor of the answer before');
const limit = z.number().int().min(1).max(500).default(100).describe('the most items of one answer');
const readOnly = { annotations: { readOnlyHint: true, openWorldHint: false } } as const;

const studied = z.strictObject({
  sourceSessionId: z.string().describe('a sourceSessionId of list_sources'),
  startMs: z.number().int().min(0).describe('start of the range, in milliseconds'),
  endMs: z.number().int().min(1).describe('end of the range, in milliseconds, exclusive'),
  language: languageTag.optional().describe('the spoken language as a tag, such as ko; detected if you leave it out'),
  targetLanguage: languageTag.default('en').describe('the language of captions, as a tag'),
  again: identity.optional().describe('a name: studies the same range once more'),
  recognition: recognitionWish
    .nullable()
    .optional()
    .describe('the recognition of a method of plan_study, or null for none; the host decides if you leave it out'),
});

type Studied = z.infer<typeof studied>;

const instructions = `Studies of media on this machine, with evidence. Start with list_sources, or with list_runtimes for earlier studies.
plan_study shows what a study would do; start_study starts it; follow_study waits for it.
read_overview has the findings and the possible next steps; read_claims and read_evidence have the details.
Times are milliseconds, ranges are half-open.
Facts that a study cannot verify are unavailable, unknown or withheld: say so, and do not guess.
Captions need a method: plan_study and read_caption_methods list those of a film, with what each needs. 
read_caption_plan has their plan: tell a person its gaps, lines left out and remarks before they approve. produce_captions makes them.
Reviews and permissions need a person at a terminal (media-study review, media-study caption); no tool here can approve, permit or delete anything.
export_study writes a file and answers with its path.`;

/** The tools of an agent over one host; what it exports is written to one folder. */
export function studyTools(host: StudyHost, exports: ExportFolder): McpServer {
  const server = new McpServer({ name: 'local-media-study-service', version }, { instructions });

  server.registerTool(
    'list_sources',
    { description: 'The sources that can be studied.', inputSchema: z.strictObject({ cursor, limit }), ...readOnly },
    ({ cursor: from, limit: most }) => answered(async () => paged(await host.sources(), from, most)),
  );
  server.registerTool(
    'plan_study',
    {
      description: 'The ids and the forecast of a study, and the methods that captions of it can have. Stores nothing.',
      inputSchema: studied,
      ...readOnly,
    },
    (asked) =>
      answered(async () => {
        const [source, request] = [await sourceOf(host, asked), requestOf(asked)];
        const { captionMethods } = await host.warnings(source, request);
        return { ...(await host.plan(source, request)), captionMethods: seenMethods(captionMethods) };
      }),
  );
  server.registerTool(
    'start_study',
    {
      description:
        'Starts a study of a range, or finds the one that the same request started before. Uses a model only for recognition.',
      inputSchema: studied,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    (asked) =>
      answered(async () => {
        const {
          runtimeId: id,
          lifecycle,
          journalHead,
        } = await host.study(await sourceOf(host, asked), requestOf(asked)).started;
        return { runtimeId: id, lifecycle, journalHead };
      }),
  );
  server.registerTool(
    'follow_study',
    {
      description:
        'Events of a study after a cursor. Waits up to waitMs, at most 50 s, for the first new one; hasEnded says that no more will come.',
      inputSchema: z.strictObject({
        runtimeId,
        cursor,
        limit,
        waitMs: z.number().int().min(0).max(60_000).default(10_000),
      }),
      ...readOnly,
    },
    (asked, { signal }) => answered(() => followed(host, asked, signal)),
  );
  server.registerTool(
    'read_status',
    {
      description: 'The state of a study, and the reason if it failed or was canceled.',
      inputSchema: z.strictObject({ runtimeId }),
      ...readOnly,
    },
    ({ runtimeId: id }) =>
      answered(async () => {
        const { lifecycle, terminal, reason, journalHead } = await host.status(id);
        return { runtimeId: id, lifecycle, terminal, reason, journalHead };
      }),
  );
  server.registerTool(
    'read_overview',
    {
      description:
        'A study as a whole: its state in words, findings in numbers with units, and claims as sentences. Then the withheld parts with reasons, and the possible next steps.',
      inputSchema: z.strictObject({ runtimeId }),
      ...readOnly,
    },
    ({ runtimeId: id }) => answered(async () => seenOverview(await host.overview(id))),
  );
  server.registerTool(
    'read_evidence',
    {
      description:
        'Facts of one kind of evidence that touch a range; without a kind, which kinds there are and how many facts each has.',
      inputSchema: z.strictObject({
        runtimeId,
        kind: z.string().optional().describe('such as speech_activity, silence, loudness, shot_changes'),
        startMs: z.number().int().min(0).default(0),
        endMs: z.number().int().min(1).optional(),
        cursor,
        limit,
      }),
      ...readOnly,
    },
    ({ runtimeId: id, kind, startMs, endMs, cursor: from, limit: most }) =>
      answered(async () => {
        const { evidence } = await host.evidence(id, kind);
        const heads = evidence.map(({ facts, parameters: _, ...head }) => ({ ...head, facts: facts.length }));
        if (kind === undefined) return { evidence: heads };
        const facts = evidence.flatMap(({ facts: each }): readonly object[] => each).filter(touches(startMs, endMs));
        return { evidence: heads, ...paged(facts, from, most) };
      }),
  );
  server.registerTool(
    'read_claims',
    {
      description: 'The claims of a study, each with its state and its citations.',
      inputSchema: z.strictObject({ runtimeId, cursor, limit }),
      ...readOnly,
    },
    ({ runtimeId: id, cursor: from, limit: most }) =>
      answered(async () => paged((await host.claims(id)).audits, from, most)),
  );
  server.registerTool(
    'read_captions',
    {
      description:
        'Lines of the captions of an approved study, with the corrections of a person, with times and both texts.',
      inputSchema: z.strictObject({ runtimeId, cursor, limit }),
      // Asks again for a check of the captions whose record a full disk has prevented.
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ runtimeId: id, cursor: from, limit: most }, { signal }) =>
      answered(async () => {
        const { filed } = await captionsOnceChecked(host, id, signal);
        const { outcome, reasonCodes, withheldLines } = filed;
        if (outcome === 'withheld') return { outcome, reasonCodes, items: [], nextCursor: null };
        return { outcome, withheldLines, ...paged(filed.lines.map(seenLine), from, most) };
      }),
  );
  registerMethodTools(server, host);
  registerSubtitleTools(server, host);
  registerRuntimeTools(server, host, exports);
  return server;
}

const touches =
  (startMs: number, endMs = Number.POSITIVE_INFINITY) =>
  (fact: object): boolean => {
    const { startMs: from, endMs: to, atMs } = fact as { startMs?: number; endMs?: number; atMs?: number };
    if (atMs !== undefined) return atMs >= startMs && atMs < endMs;
    return from === undefined || to === undefined || (from < endMs && to > startMs);
  };

async function sourceOf(host: StudyHost, { sourceSessionId }: Studied) {
  const source = (await host.sources()).find((each) => each.sourceSessionId === sourceSessionId);
  if (source !== undefined) return source;
  // As a host refuses a request that names it.
  const [status, code] = [errorCodes.unknown_source_session, 'unknown_source_session'];
  throw new HostError({ status, code, message: 'no source has this id', retryAfterSeconds: null });
}

const requestOf = ({ startMs, endMs, language, targetLanguage, again, recognition }: Studied): StudyRequest => ({
  range: { startMs, endMs },
  targetLanguage,
  requestedSourceLanguage: spokenLanguage(language),
  ...(again === undefined ? {} : { clientRequestId: again }),
  ...(recognition === undefined ? {} : { recognition }),
});
