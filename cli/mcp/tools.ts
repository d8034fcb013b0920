import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { HostError } from '../../client/host-error.ts';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { errorCodes } from '../../contract/base/error-codes.ts';
import { identity, languageTag } from '../../contract/base/grammar.ts';
import { version } from '../../contract/base/program-version.ts';
import { standingCaptions } from '../terminal/standing-captions.ts';
import { acceptedLines } from './accepted-lines.ts';
import { answered } from './answered.ts';
import type { ExportFolder } from './export-folder.ts';
import { followed } from './followed.ts';
import { paged } from './paged.ts';
import { registerRuntimeTools } from './runtime-tools.ts';
import { seenOverview } from './seen-overview.ts';
import { registerSubtitleTools } from './subtitle-tools.ts';

const cursor = z.number().int().min(0).default(0).describe('where to go on: nextCursor of the answer before');
const limit = z.number().int().min(1).max(500).default(100).describe('the most items of one answer');
const runtimeId = z.string().describe('the runtimeId of a study');
const readOnly = { annotations: { readOnlyHint: true, openWorldHint: false } } as const;

const studied = z.strictObject({
  sourceSessionId: z.string().describe('a sourceSessionId of list_sources'),
  startMs: z.number().int().min(0).describe('start of the range, in milliseconds'),
  endMs: z.number().int().min(1).describe('end of the range, in milliseconds, exclusive'),
  language: languageTag.optional().describe('the spoken language as a tag, such as ko; detected where it is left out'),
  targetLanguage: languageTag.default('en').describe('the language of captions, as a tag'),
  again: identity.optional().describe('a name: studies the same range once more'),
});

type Studied = z.infer<typeof studied>;

const instructions = `Studies of media on this machine, with evidence. Start with list_sources, or list_runtimes for what was studied before; plan_study says what a study would do;
start_study starts it; follow_study waits for it; read_overview says what was found and what may be done next; read_claims and read_evidence have it in detail. Times are milliseconds, ranges are half-open.
What a study cannot verify it calls unavailable, unknown or withheld: say so, and do not guess. Reviews need a person at a
terminal (media-study review); no tool here can approve or delete anything. export_study writes a file and answers with its path.`;

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
    { description: 'The ids and the forecast of a study. Stores nothing.', inputSchema: studied, ...readOnly },
    (asked) => answered(async () => host.plan(await sourceOf(host, asked), requestOf(asked))),
  );
  server.registerTool(
    'start_study',
    {
      description:
        'Starts a study of a range, or finds the one that the same request started before. Uses no model and no network.',
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
        'Events of a study after a cursor. Waits up to waitMs for the first new one; hasEnded says that no more will come.',
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
      description: 'Where a study stands, and why it failed if it did.',
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
        'A study as a whole: where it stands in words, findings in numbers with units, claims as sentences, what is withheld and why, and what may be done next.',
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
      description: 'Lines of the captions of an approved study, with times and both texts.',
      inputSchema: z.strictObject({ runtimeId, cursor, limit }),
      // A check of the captions that a full disk kept from its record is asked for again.
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ runtimeId: id, cursor: from, limit: most }, { signal }) =>
      answered(async () => {
        const captions = await standingCaptions(host, id, signal);
        const { outcome, reasonCodes, withheldLineIds } = captions.control;
        if (outcome === 'withheld') return { outcome, reasonCodes, items: [], nextCursor: null };
        return { outcome, withheldLines: withheldLineIds.length, ...paged(acceptedLines(captions), from, most) };
      }),
  );
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

const requestOf = ({ startMs, endMs, language, targetLanguage, again }: Studied): StudyRequest => ({
  range: { startMs, endMs },
  targetLanguage,
  requestedSourceLanguage: spokenLanguage(language),
  ...(again === undefined ? {} : { clientRequestId: again }),
});
