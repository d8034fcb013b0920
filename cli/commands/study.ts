import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { StudyRequest } from '../../client/studies.ts';
import { identity } from '../../contract/base/grammar.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session-list.ts';
import type { RuntimeStatus } from '../../contract/study/runtime-status.ts';
import { timeCode } from '../../receipts/core/time-code.ts';
import { hasDataRoot } from '../options/existing-data-root.ts';
import { type FlagTable, type GivenFlags, single, toggle } from '../options/flags.ts';
import { asTyped } from '../terminal/as-typed.ts';
import { argument, type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts';
import { exportsLine } from '../terminal/exports-line.ts';
import { checkLanguage } from '../terminal/language-tag.ts';
import { namedHost } from '../terminal/named-host.ts';
import { summaryLines } from '../terminal/summary.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { onEachSource } from './each-source.ts';
import { ingested, isAddress, rangeFlags, timeOf, withSubtitles } from './ingest.ts';
import { namedSource } from './named-source.ts';
import { checkRights, rightsFlags } from './rights.ts';
import { requestedLanguage } from './spoken-language.ts';
import { warnedRange } from './study-range.ts';
import { checkSubtitleFiles, givenSubtitles, subtitlesFlags } from './subtitle-files.ts';

const flags: FlagTable = {
  ...rangeFlags,
  language: single('TAG', 'the one that is known of the range', 'the spoken language, such as ko or pt-BR'),
  'target-language': single('TAG', 'en', 'the language of captions'),
  captions: toggle('asks for captions in the end; evidence alone without it'),
  again: single('NAME', null, 'studies the same range once more, under this name'),
  ...rightsFlags,
  ...subtitlesFlags,
  ...hostFlags,
};

/** The source that an argument names: by its id or label, or media that is taken in first; with the subtitle files that were given. */
async function sourceOf(call: Call, what: string): Promise<SourceSessionRow> {
  const source = await namedSource(call, what, !existsSync(what));
  if (source === undefined) return ingested(call, what);
  if (call.given.single('label') !== undefined)
    call.terminal.remark(`${what} is there already and keeps its label: --label is of media that is taken in`);
  return withSubtitles(call, source, givenSubtitles(call));
}

/** The part of a source that is asked for; of a video all that was taken in. */
function askedRange(call: Call, { durationMs }: SourceSessionRow, what: string) {
  const startMs = isAddress(what) ? 0 : (timeOf(call, 'from') ?? 0);
  const asked = isAddress(what) ? null : timeOf(call, 'to');
  const endMs = asked ?? durationMs;
  if (Math.max(startMs + 1, endMs) > durationMs)
    throw new WrongCall(`${what} ends at ${timeCode(durationMs)}: --from and --to name a part before that`);
  return { startMs, endMs, isWhole: asked === null };
}

async function studied(call: Call, what: string): Promise<RuntimeStatus> {
  const { host, given, terminal, signal } = call;
  const source = await sourceOf(call, what);
  const name = given.single('again');
  const asked = askedRange(call, source, what);
  const undeclared: StudyRequest = {
    targetLanguage: given.single('target-language') ?? 'en',
    outputDepth: given.has('captions') ? 'captions' : 'evidence',
    ...(name === undefined ? {} : { clientRequestId: name }),
  };
  const spoken = { range: asked, tag: given.single('language') };
  const requestedSourceLanguage = await requestedLanguage(call, source, undeclared, spoken);
  const request: StudyRequest = { ...undeclared, ...(requestedSourceLanguage && { requestedSourceLanguage }) };
  const range = await warnedRange(call, source, request, asked);
  const study = host.study(
    source,
    { ...request, range },
    {
      signal,
      onProgress: (progress) => terminal.measured(source.label, progress),
    },
  );
  for await (const _ of study);
  return study.ended();
}

function checkName(name: string | undefined): void {
  if (name === undefined || identity.safeParse(name).success) return;
  const form = 'letters, digits and . _ : - alone, begins with a letter or a digit, and is at most 160 long';
  throw new WrongCall(`--again ${name}: a name has ${form}`);
}

/** Throws `WrongCall` for a file without an answer for it, where it can be no source of a data root: there is none yet. */
async function checkFiles(given: GivenFlags, terminal: Terminal): Promise<void> {
  if (namedHost(process.env) !== null || hasDataRoot(given)) return;
  for (const what of given.positional) {
    if (existsSync(what)) await checkRights({ given, terminal }, basename(what));
  }
}

async function check(given: GivenFlags, terminal: Terminal): Promise<void> {
  argument(given, 0, 'SOURCE');
  for (const name of ['language', 'target-language']) {
    const tag = given.single(name);
    if (tag !== undefined) checkLanguage(tag, `--${name}`);
  }
  checkName(given.single('again'));
  const [startMs, endMs] = [timeOf({ given }, 'from'), timeOf({ given }, 'to')];
  if (endMs !== null && endMs <= (startMs ?? 0)) throw new WrongCall('--to is not after --from: the range is empty');
  await checkSubtitleFiles({ given }, givenSubtitles({ given }));
  await checkFiles(given, terminal);
}

async function run(call: Call, what: string): Promise<ExitCode> {
  const status = await studied(call, what);
  const [overview, { evidence }] = await Promise.all([
    call.host.overview(status.runtimeId),
    call.host.evidence(status.runtimeId),
  ]);
  const hasEndedWell = status.lifecycle === 'terminal';
  const exports = hasEndedWell ? [exportsLine(overview)] : [];
  call.terminal.result({ status, evidence, overview }, [...summaryLines(overview), ...exports]);
  return hasEndedWell ? exitCodes.done : exitCodes.failed;
}

/** Studies sources to their end. */
export const study: HostCommand = {
  usage: 'media-study study SOURCE… [flags]',
  purpose:
    'Studies sources to their end, and prints what was found. A SOURCE is a file, an address, or a source: its id, a beginning of it, or its label.',
  flags,
  positionals: 100,
  beginsData: true,
  interrupted: () =>
    `an ingest under way is canceled; a study goes on while a host runs on the data root: ${asTyped('watch RUNTIME')} goes on with it, ${asTyped('cancel RUNTIME')} ends it`,
  check,
  run: (call) => onEachSource(call, (what) => run(call, what)),
};
