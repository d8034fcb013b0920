import { HostError } from '../../client/host-error.ts';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { identity, type Range } from '../../contract/base/grammar.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import type { PlanWarning } from '../../contract/study/start.ts';
import type { RuntimeStatus } from '../../contract/study/status.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { type FlagTable, type GivenFlags, single, toggle } from '../../options/flags.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { argument, asTyped, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { checkLanguage } from '../terminal/language-tag.ts';
import { exportsLine, summaryLines, warningLine } from '../terminal/summary.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { rightsFlags } from './given-file.ts';
import { checkNewMedia, isAddress, onEachSource, rangeFlags, sourceOf, timeOf } from './ingest.ts';
import { checkSubtitleFiles, givenSubtitles, subtitlesFlags } from './sources.ts';

/** The longest range that a host studies by default. */
const usualLimitMs = 600_000;

interface Asked {
  readonly host: Pick<StudyHost, 'warnings'>;
  readonly terminal: Pick<Terminal, 'remark'>;
}

/**
 * Prints the warnings of the host, and returns the requested range. A range without an end (`isWhole`) that is too long for this
 * host ends at the longest length that a host takes by default.
 */
export async function warnedRange(
  { host, terminal }: Asked,
  source: SourceSessionRow,
  request: StudyRequest,
  { isWhole, ...asked }: Range & { readonly isWhole: boolean },
): Promise<Range> {
  const warned = async (range: Range): Promise<Range> => {
    const { warnings, captionMethods } = await host.warnings(source, { ...request, range });
    // A host without a caption executor makes captions by a method, which the study need not know.
    const isNone = ({ code, cause }: PlanWarning): boolean =>
      code === 'captions_not_possible' &&
      cause.code === 'no_caption_executor' &&
      captionMethods.methods.some(({ state }) => state !== 'impossible');
    for (const warning of warnings) if (!isNone(warning)) terminal.remark(warningLine(warning));
    return range;
  };
  const { startMs, endMs } = asked;
  try {
    return await warned(asked);
  } catch (error) {
    const isTooLong = error instanceof HostError && error.code === 'study_range_too_large';
    if (!isTooLong || !isWhole || endMs - startMs <= usualLimitMs) throw error;
    const part = { startMs, endMs: startMs + usualLimitMs };
    const what = `studying ${timeCode(startMs)} to ${timeCode(part.endMs)} of ${timeCode(source.durationMs)}`;
    const whole = `${asTyped(`settings set maximum-study-range-ms=${endMs - startMs}`)} has the host study all of it`;
    terminal.remark(`${what}, because ${error.message}: --from and --to name another part, and ${whole}`);
    return warned(part);
  }
}

/** The tag for what has no language in it: a study that declares it differs from every language that is known of a source. */
const noLanguage = 'zxx';

const bases = {
  detected: 'as it was identified in the sound',
  container: 'as the file states',
} as const;

/** The spoken languages of a range as far as the host knows them before a study, and their origin; null if none is known. */
export async function knownLanguages(
  host: Asked['host'],
  source: SourceSessionRow,
  request: StudyRequest,
  range: Range,
) {
  const asked = { ...request, requestedSourceLanguage: spokenLanguage(noLanguage) };
  const { warnings } = await host.warnings(source, { ...asked, range }).catch((error: unknown) => {
    if (!(error instanceof HostError && error.code === 'study_range_too_large')) throw error;
    const beginning = { startMs: range.startMs, endMs: range.startMs + usualLimitMs };
    return host.warnings(source, { ...asked, range: beginning });
  });
  for (const warning of warnings) {
    if (warning.code !== 'declared_language_differs') continue;
    const languages = warning.found.map(baseLanguage).filter((language) => language !== null);
    return { basis: warning.basis, languages: [...new Set(languages)] };
  }
  return null;
}

/**
 * The spoken language of a study, which the person also sees: the given tag, or else the one language that is known of the range.
 * With none or several known the study gets no language, and captions need one.
 */
export async function requestedLanguage(
  { host, terminal }: Asked,
  source: SourceSessionRow,
  request: StudyRequest,
  { range: { startMs, endMs }, tag }: { readonly range: Range; readonly tag: string | undefined },
): Promise<StudyRequest['requestedSourceLanguage']> {
  if (tag !== undefined) return spokenLanguage(tag);
  const known = await knownLanguages(host, source, request, { startMs, endMs });
  const [language, ...others] = known?.languages ?? [];
  if (known === null || language === undefined) return spokenLanguage();
  if (others.length === 0) {
    terminal.remark(`spoken language: ${language}, ${bases[known.basis]}; --language TAG names another`);
    return spokenLanguage(language);
  }
  const said = [language, ...others].join(', ');
  terminal.remark(`spoken languages: ${said}, ${bases[known.basis]}; captions need one: --language TAG names it`);
  return spokenLanguage();
}

const flags: FlagTable = {
  ...rangeFlags,
  language: single(
    'TAG',
    'that of the sound or the file, if there is only one',
    'the spoken language, such as ko or pt-BR',
  ),
  'target-language': single('TAG', 'en', 'the language of captions'),
  captions: toggle('states that you want captions: the command warns if this host cannot make them'),
  again: single('NAME', null, 'studies the same range again, under this name'),
  ...rightsFlags,
  ...subtitlesFlags,
  ...hostFlags,
};

/** The requested part of a source; of a video all that was taken in. */
function askedRange(call: CommandCall, { durationMs }: SourceSessionRow, what: string) {
  const startMs = isAddress(what) ? 0 : (timeOf(call, 'from') ?? 0);
  const asked = isAddress(what) ? null : timeOf(call, 'to');
  const endMs = asked ?? durationMs;
  if (Math.max(startMs + 1, endMs) > durationMs)
    throw new WrongCall(`${what} ends at ${timeCode(durationMs)}: --from and --to name a part before that`);
  return { startMs, endMs, isWhole: asked === null };
}

async function studied(call: CommandCall, what: string): Promise<RuntimeStatus> {
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

async function check(given: GivenFlags, terminal: Terminal): Promise<void> {
  argument(given, 0, 'SOURCE');
  for (const name of ['language', 'target-language']) {
    const tag = given.single(name);
    if (tag !== undefined) checkLanguage(tag, `--${name}`);
  }
  checkName(given.single('again'));
  const [startMs, endMs] = [timeOf({ given }, 'from'), timeOf({ given }, 'to')];
  if (endMs !== null && endMs <= (startMs ?? 0)) throw new WrongCall('--to is not after --from: the range is empty');
  await checkSubtitleFiles({ given, terminal }, givenSubtitles({ given }));
  await checkNewMedia({ given, terminal });
}

async function run(call: CommandCall, what: string): Promise<ExitCode> {
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
    'Studies sources, and prints what it finds. A SOURCE is a file, an address, or a source: its id, the beginning of its id, or its label.',
  flags,
  positionals: 100,
  beginsData: true,
  interrupted: () =>
    `an ingest under way is canceled; a study continues while a host runs on the data root: ${asTyped('watch RUNTIME')} follows it, ${asTyped('cancel RUNTIME')} ends it`,
  check,
  run: (call) => onEachSource(call, (what) => run(call, what)),
};
