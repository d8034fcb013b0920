import { constants, existsSync } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HostError } from '../../client/host-error.ts';
import { spokenLanguage } from '../../client/studies.ts';
import type { CaptionMethod, CaptionMethodRow } from '../../contract/captions/caption-method.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import { approvalReasons, attestations, type Reviewer } from '../../contract/review.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { readSubtitleCodecs } from '../../contract/sources/subtitle-codecs.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { mayServe } from '../../rules/track-choice.ts';
import { type FlagTable, type GivenFlags, pathOption, single, toggle } from '../options/flags.ts';
import {
  argument,
  asTyped,
  type CommandCall,
  type HostCommand,
  hostFlags,
  typedAgain,
  WrongCall,
} from '../terminal/call.ts';
import { checkLanguage, englishName } from '../terminal/language-tag.ts';
import { unrecognizedLines, withheldLine } from '../terminal/summary.ts';
import { type ExitCode, exitCodes } from '../terminal/terminal.ts';
import { captionTexts, guidelineRemark, rowsRemark, timedLine } from './caption-lines.ts';
import { attemptNames, otherWay, plannedWay, type WantedCaptions } from './caption-ways.ts';
import { filedCaptions } from './captions.ts';
import { writeExport } from './exports.ts';
import { rightsFlags, targetFile } from './given-file.ts';
import { checkNewMedia, sourceOf } from './ingest.ts';
import { checkMuxed, muxFilm } from './muxed-film.ts';
import { checkReviewer, mustAgree } from './review.ts';
import { checkSubtitleFiles, givenSubtitles, subtitlesFlags } from './sources.ts';
import { knownLanguages } from './study.ts';

const formats = ['srt', 'vtt', 'ass'] as const;
type Format = (typeof formats)[number];

/** The names of attached files give their format: `--format` is that of the captions. */
const { format: _formatOfAttached, ...attachedFlags } = subtitlesFlags;

const flags: FlagTable = {
  to: single('TAG', 'the spoken language', 'the language of the captions, such as de'),
  from: single('TAG', 'the only one that the film names', 'the spoken language'),
  format: single('FORMAT', 'srt', 'srt, vtt or ass'),
  bilingual: toggle('writes both languages into one file, the translation above the original'),
  output: single('FILE', 'beside the film, such as film.de.srt', 'the file to write'),
  mux: single(
    'FILE',
    null,
    'also writes a copy of the film with the captions in it; ends in .mkv, .mp4, .m4v, .mov or .webm',
  ),
  attest: toggle('approves without a question; needs --reviewer'),
  reviewer: single('NAME', 'asked at a terminal', 'the reviewer of the host, by name or id, who approves'),
  ...rightsFlags,
  ...attachedFlags,
  ...hostFlags,
};

/** How many lines a person is shown before the question; `lines` shows all. */
const firstLines = 12;

/** How often a command looks whether captions that are being made are there, in ms. */
const underWayMs = 500;

/** The checked arguments of the call. */
interface Asked {
  readonly film: string;
  readonly target: string;
  readonly format: Format;
}

function formatOf(given: GivenFlags): Format {
  const text = given.single('format') ?? 'srt';
  const format = formats.find((each) => each === text);
  if (format === undefined) throw new WrongCall(`--format ${text} is unknown: give one of ${formats.join(', ')}`);
  return format;
}

/** The given flags, for the functions of attached files. */
const forAttached = (given: GivenFlags): GivenFlags => ({
  ...given,
  single: (name) => (name === 'format' ? undefined : given.single(name)),
  has: (name) => name !== 'format' && given.has(name),
});

const textTracks = ({ tracks }: MediaProbe) => tracks.filter(({ type }) => type === 'subtitle');

/** A language as people name it, with its tag: `Korean (ko)`. */
const namedLanguage = (tag: string): string => `${englishName(tag)} (${tag})`;

/** The languages of tracks, each once, as far as they are tagged. */
const languagesOf = (tracks: MediaProbe['tracks']): string[] => [
  ...new Set(tracks.map(({ language }) => baseLanguage(language ?? '')).filter((language) => language !== null)),
];

/** The audio track that players begin with: the one that the container flags as default, else the first. */
const defaultSound = (sound: MediaProbe['tracks']) =>
  sound.find((track) => track.type === 'audio' && track.default === true) ?? sound[0];

/**
 * The spoken language: the given one, else the tag of the default sound or of the only text language. Without a tag it is the only one
 * that was identified in the sound. Throws `WrongCall` with the languages that are known of the film.
 */
async function spokenLanguageOf(call: CommandCall, source: SourceSessionRow, probe: MediaProbe): Promise<string> {
  const named = call.given.single('from');
  if (named !== undefined) return named;
  const sound = probe.tracks.filter(({ type }) => type === 'audio');
  const tagged = baseLanguage(defaultSound(sound)?.language ?? '') ?? undefined;
  const others = languagesOf(sound).filter((each) => each !== tagged);
  if (tagged !== undefined && others.length > 0) {
    const also = others.map(namedLanguage).join(' and ');
    call.terminal.remark(
      `spoken language: ${namedLanguage(tagged)}, that of the default sound; it also has ${also}: --from ${others[0]} takes it`,
    );
  }
  const texts = languagesOf(textTracks(probe));
  const language = tagged ?? (texts.length === 1 ? texts[0] : undefined);
  if (language !== undefined) return language;
  const asked = { targetLanguage: 'en', outputDepth: 'evidence' } as const;
  const known = await knownLanguages(call.host, source, asked, { startMs: 0, endMs: source.durationMs });
  const spoken = known?.languages ?? [];
  if (spoken.length === 1 && spoken[0] !== undefined) {
    call.terminal.remark(`spoken language: ${spoken[0]}, as it was identified in the sound; --from TAG names another`);
    return spoken[0];
  }
  const found = [
    ...(spoken.length === 0 ? [] : [`speech in ${spoken.map(namedLanguage).join(' and ')}`]),
    ...(texts.length === 0 ? [] : [`subtitles in ${texts.map(namedLanguage).join(' and ')}`]),
  ];
  const has = found.length === 0 ? '' : ` It has ${found.join(', and ')}.`;
  const [first = 'en'] = [...spoken, ...texts];
  throw new WrongCall(
    `the language that is spoken in ${source.label} is unknown.${has} Name it, such as ${englishName(first)}:\n  ${typedAgain(['--from', first])}`,
  );
}

/** Shows what the captions will be made of, and asks the person to approve. Throws `WrongCall` if nothing is approved. */
async function attestedBy(call: CommandCall, { runtimeId, method }: StudiedFilm, reviewer: Reviewer): Promise<void> {
  const { terminal } = call;
  const found = captionTexts(await call.host.captions.corrections(runtimeId, { method }));
  for (const line of unrecognizedLines(await call.host.overview(runtimeId))) terminal.remark(line);
  terminal.remark(`the captions will be made of: ${found.map(({ what }) => what).join(', ')}`);
  for (const { what, lines } of found) {
    terminal.remark(`${what}: ${lines.length} lines`);
    for (const line of lines.slice(0, firstLines)) terminal.remark(timedLine(line));
    if (lines.length > firstLines) terminal.remark(`  … and ${lines.length - firstLines} more`);
  }
  if (!mustAgree(call, reviewer, { statement: attestations.decision, verb: 'approve' })) return;
  for (;;) {
    const answer = await terminal.ask('Type yes to attest this, lines to read all lines: ');
    if (answer === 'yes') return;
    if (answer !== 'lines')
      throw new WrongCall('nothing was approved: not attested. The study stays; run the command again');
    for (const { lines } of found) for (const line of lines) terminal.remark(timedLine(line));
  }
}

/** The state of a study that gets no captions, and the way on. */
async function statusWords({ host }: CommandCall, runtimeId: string): Promise<string> {
  const { situation } = await host.overview(runtimeId);
  return `${situation.text}; ${asTyped(`evidence ${runtimeId}`)} lists the next steps`;
}

/** A study that captions can be made of. */
interface StudiedFilm {
  readonly runtimeId: string;
  readonly method: CaptionMethod;
}

/** A study on the way to captions. `captions` are those that it has, or that are being made; else `row` is its method. */
interface Attempt {
  readonly runtimeId: string;
  readonly captions: 'done' | 'withheld' | 'under_way' | null;
  readonly isApproved: boolean;
  readonly row: CaptionMethodRow | undefined;
}

async function attemptAt({ host }: CommandCall, runtimeId: string, method: CaptionMethod): Promise<Attempt> {
  const { captions } = await host.overview(runtimeId);
  const { reviews } = await host.reviews.decisions(runtimeId);
  const { state } = captions;
  const has = state === 'done' || state === 'withheld' || state === 'under_way' ? state : null;
  const row = has === null ? (await host.captions.methods(runtimeId)).methods : [];
  return {
    runtimeId,
    captions: has,
    isApproved: reviews.some((review) => review.state === 'approved_for_caption_production'),
    row: row.find((each) => each.method === method),
  };
}

/** True if a study gives no captions by its method any more, though another one of the same film may. */
const isSpent = ({ captions, row }: Attempt): boolean =>
  captions === null &&
  (row?.state === 'needs_study' || row?.obstacles.some(({ code }) => code === 'attempts_failed') === true);

/** The study of an earlier request without a name, by this command or another one; null if it gives no captions. */
async function earlierStudy(call: CommandCall, wanted: WantedCaptions, { method, sends }: CaptionMethodRow) {
  const { host } = call;
  const { runtimeId } = await host.plan(wanted.source, wanted.request);
  try {
    const { lifecycle } = await host.status(runtimeId);
    if (lifecycle !== 'terminal') return null;
  } catch (error) {
    if (error instanceof HostError && error.status === 404) return null;
    throw error;
  }
  const attempt = await attemptAt(call, runtimeId, method);
  // Another model may do better.
  if (attempt.captions === 'withheld' && sends.length > 0) return null;
  return attempt.captions !== null || attempt.row?.state === 'ready' ? attempt : null;
}

/**
 * The study for captions by a method: one that is there, or a new one. After a study that failed, or whose
 * speech was not recognized, the next call begins another one. Throws for a study that fails now.
 */
async function studied(call: CommandCall, wanted: WantedCaptions, row: CaptionMethodRow): Promise<Attempt> {
  const { host, given, terminal, signal } = call;
  const { source, request } = wanted;
  const usesEngines = row.recognition !== null || row.sends.length > 0;
  const earlier = usesEngines ? await earlierStudy(call, wanted, row) : null;
  if (earlier !== null) return earlier;
  const nameOf = await attemptNames(call, wanted, row);
  for (let attempt = 1; ; attempt += 1) {
    const own = usesEngines || attempt > 1 ? { clientRequestId: nameOf(attempt) } : {};
    const wish = row.recognition === null ? {} : { recognition: row.recognition };
    const onProgress = (progress: WorkProgress) => terminal.measured(source.label, progress);
    const study = host.study(source, { ...request, ...own, ...wish }, { signal, onProgress });
    const { runtimeId, terminal: hadEnded, lifecycle: before } = await study.started;
    if (hadEnded && before !== 'terminal') continue;
    // Found at the approval, a wrong name would have cost the time of the study.
    if (given.has('reviewer')) checkReviewer(given, (await host.reviews.decisions(runtimeId)).reviewer);
    const { lifecycle } = await study.ended();
    if (lifecycle !== 'terminal') {
      throw new Error(`the study ${runtimeId} ended without captions: ${await statusWords(call, runtimeId)}`);
    }
    const found = await attemptAt(call, runtimeId, row.method);
    if (!hadEnded || !isSpent(found)) return found;
  }
}

/** The study that captions are made of, or that has some. Throws `WrongCall` for a film that gives none, with the ways that are left. */
async function studiedFilm(call: CommandCall, wanted: WantedCaptions): Promise<StudiedFilm> {
  const tried: CaptionMethodRow[] = [];
  for (let row = await plannedWay(call, wanted); ; ) {
    const { method } = row;
    const found = await studied(call, wanted, row);
    const { runtimeId } = found;
    if (found.captions !== null || found.row?.state === 'ready') return { runtimeId, method };
    const { reviews } = await call.host.reviews.decisions(runtimeId);
    if (reviews.length > 0 && !found.isApproved)
      throw new WrongCall(`no captions can be made of ${wanted.film}: ${await statusWords(call, runtimeId)}`);
    tried.push(row);
    row = await otherWay(call, wanted, { runtimeId, tried });
  }
}

/** Approves a study, unless it is approved. */
async function approve(call: CommandCall, film: StudiedFilm): Promise<void> {
  const { runtimeId } = film;
  const { reviews } = call.host;
  const { reviewer, reviews: known } = await reviews.decisions(runtimeId);
  if (known.some(({ state }) => state === 'approved_for_caption_production')) return;
  await attestedBy(call, film, reviewer);
  const decision = { outcome: 'approve_for_caption_production', reasonCodes: approvalReasons, note: null } as const;
  await reviews.decide(runtimeId, decision, { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation });
}

async function madeCaptions(call: CommandCall, film: StudiedFilm): Promise<void> {
  const { host, terminal, signal } = call;
  const { runtimeId, method } = film;
  for (;;) {
    const { captions } = await host.overview(runtimeId);
    if (captions.state === 'done' || captions.state === 'withheld') return;
    terminal.progress('making the captions');
    // An earlier call was killed while its host made them.
    if (captions.state === 'under_way') await pause(underWayMs, undefined, { signal });
    else {
      await approve(call, film);
      terminal.progress('making the captions');
      await host.captions.produce(runtimeId, { method });
      return;
    }
  }
}

/** The path of the film; for a source that is named otherwise, one in this folder. */
const besideFilm = (film: string): string => resolve(existsSync(film) ? film : basename(film));

/** Throws `WrongCall` for a folder that takes no new file, before the command asks a person for anything. */
async function checkFolder(path: string, flag: 'output' | 'mux'): Promise<void> {
  const folder = dirname(path);
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : 'takes no new file';
    throw new WrongCall(`the folder ${folder} ${reason}: name a file in another folder with --${flag}`);
  });
}

function outputOf(given: GivenFlags, { film, target, format }: Asked): string {
  const named = pathOption(given, 'output');
  if (named !== null) return named;
  const path = besideFilm(film);
  return join(dirname(path), `${basename(path, extname(path))}.${target}.${format}`);
}

/**
 * Throws `WrongCall` if the command would replace the film, a subtitle file that it attaches, or the other file that it writes. Also
 * for a path that can be no file: found later, it would have cost an approval.
 */
async function checkTargets({ given, terminal }: Pick<CommandCall, 'given' | 'terminal'>, asked: Asked): Promise<void> {
  const attaching = { given: forAttached(given), terminal };
  const media = [resolve(asked.film), ...(await checkSubtitleFiles(attaching, givenSubtitles(attaching)))];
  const read = await Promise.all(media.map((path) => realpath(path).catch(() => path)));
  let written: string | null = null;
  for (const [flag, path] of [
    ['output', outputOf(given, asked)],
    ['mux', pathOption(given, 'mux')],
  ] as const) {
    if (path === null) continue;
    const place = await targetFile(path);
    if (read.includes(place)) {
      throw new WrongCall(`${path} is a file that this command reads: name another one by --${flag}`);
    }
    if (place === written) throw new WrongCall(`${path} is the file of the captions: name another one by --${flag}`);
    written = place;
  }
}

async function check(given: GivenFlags, terminal: Parameters<NonNullable<HostCommand['check']>>[1]): Promise<void> {
  const film = argument(given, 0, 'FILM');
  for (const name of ['from', 'to']) {
    const tag = given.single(name);
    if (tag !== undefined) checkLanguage(tag, `--${name}`);
  }
  formatOf(given);
  const mux = pathOption(given, 'mux');
  if (mux !== null) checkMuxed(mux);
  if (mux !== null && !existsSync(film)) throw new WrongCall(`--mux needs the film itself, and ${film} is not a file`);
  if (given.has('attest') && given.single('reviewer') === undefined)
    throw new WrongCall('--attest needs --reviewer NAME');
  await checkFolder(pathOption(given, 'output') ?? besideFilm(film), 'output');
  if (mux !== null) await checkFolder(mux, 'mux');
  const attaching = { given: forAttached(given), terminal };
  await checkSubtitleFiles(attaching, givenSubtitles(attaching));
  await checkNewMedia({ given, terminal });
}

async function run(call: CommandCall): Promise<ExitCode> {
  const { given, host, terminal, signal } = call;
  const film = argument(given, 0, 'FILM');
  const source = await sourceOf({ ...call, given: forAttached(given) }, film);
  const probe = await host.mediaProbe(source.sourceSessionId);
  const spoken = await spokenLanguageOf(call, source, probe);
  const target = given.single('to') ?? spoken;
  const asked = { film, target, format: formatOf(given) };
  await checkTargets(call, asked);
  const { subtitleTracks } = await host.subtitles.list(source.sourceSessionId);
  const readTracks = textTracks(probe).filter(({ codec }) => readSubtitleCodecs.includes(codec));
  const texts = [...readTracks, ...subtitleTracks].map(({ language }) => language ?? '');
  const lacking = [...new Set([spoken, target])].filter((asked) => !texts.some((tag) => mayServe(tag, asked)));
  const request = {
    requestedSourceLanguage: spokenLanguage(spoken),
    targetLanguage: target,
    outputDepth: 'captions',
    range: { startMs: 0, endMs: source.durationMs },
  } as const;
  const studyOf = await studiedFilm(call, { film, source, request, spoken, lacking });
  await madeCaptions(call, studyOf);
  const { runtimeId } = studyOf;
  const control = await host.captions.checked(runtimeId, signal);
  const { outcome, reasonCodes } = filedCaptions(control, await host.captions.corrections(runtimeId));
  if (outcome === 'withheld') {
    terminal.result({ runtimeId, control }, [withheldLine(runtimeId, reasonCodes)]);
    return exitCodes.withheld;
  }
  return written(call, runtimeId, probe, asked);
}

/** Writes the captions, and with `--mux` the film with them. */
async function written(call: CommandCall, runtimeId: string, probe: MediaProbe, asked: Asked): Promise<ExitCode> {
  const { host, given, terminal, signal } = call;
  const side = given.has('bilingual') ? 'both' : 'target';
  const exported = { name: `captions.${asked.format}`, options: { side, lines: 'netflix.v1' } } as const;
  const path = outputOf(given, asked);
  // A file that the person did not name may be their own, or has their edits.
  const other = `${path} is there already, with other text, and was not replaced. To replace it:\n  ${typedAgain(['--output', path])}`;
  const refusal = given.has('output') ? null : other;
  const file = await writeExport(host, runtimeId, exported, path, signal, refusal);
  const mux = pathOption(given, 'mux');
  if (mux !== null) {
    terminal.progress(`writing ${mux}`);
    const captions = { path: file.path, language: asked.target };
    await muxFilm(resolve(asked.film), textTracks(probe), [captions], mux, signal);
  }
  const shown = await host.captions.corrections(runtimeId);
  const remarks = [
    rowsRemark(shown, side === 'both' ? ['source', 'target'] : ['target']),
    await guidelineRemark(host, shown),
  ];
  for (const remark of remarks) if (remark !== null) terminal.remark(remark);
  terminal.result({ runtimeId, side, language: asked.target, captions: file, muxed: mux }, [
    file.path,
    ...(mux === null ? [] : [mux]),
  ]);
  return exitCodes.done;
}

/** From a film to its captions. */
export const caption: HostCommand = {
  usage: 'media-study caption FILM [flags]',
  purpose:
    'Makes captions of a film: takes it in, studies it, shows the lines, asks for your approval, checks the captions and writes the file. FILM is a file, or the id or label of a source.',
  flags,
  positionals: 1,
  beginsData: true,
  interrupted: () => 'finished work is kept; run the same command again to continue',
  check,
  run,
};
