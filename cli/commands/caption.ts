import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spokenLanguage } from '../../client/studies.ts';
import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import { presentBreaks } from '../../contract/captions/line-breaks.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { readSubtitleCodecs } from '../../contract/sources/subtitle-codecs.ts';
import { verbsOf } from '../../features/feature.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { type FlagTable, type GivenFlags, pathOption, repeatable, single, toggle } from '../../options/flags.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import { areOneLanguage, baseLanguage } from '../../rules/languages.ts';
import { mayServe } from '../../rules/track-choice.ts';
import { shellPath } from '../../storage/objects/data-root.ts';
import {
  argument,
  asTyped,
  type CommandCall,
  type HostCommand,
  hostFlags,
  typedAgain,
  WrongCall,
} from '../terminal/call.ts';
import { failedEnd } from '../terminal/failed-call.ts';
import { checkLanguage, englishName, isLanguage, meantLanguage } from '../terminal/language-tag.ts';
import { endLine, isComplete, obstacleLines, presentPlan } from '../terminal/plan-lines.ts';
import { textAnswer } from '../terminal/question.ts';
import { captionNotes, withheldLine } from '../terminal/summary.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  approveFilms,
  captionPlanOf,
  type FilmToApprove,
  namedTracks,
  needsApproval,
  shownPlan,
} from './caption-approval.ts';
import {
  type AskedFile,
  besideFilm,
  type CaptionFormat,
  callsOf,
  captionFormats,
  checkFolder,
  checkTargets,
  forAttached,
  namedFilms,
  outputIn,
} from './caption-films.ts';
import { guidelineLines, untranslatedLine } from './caption-lines.ts';
import { captionableStudy, type StudiedFilm } from './caption-study.ts';
import { filedCaptions } from './captions.ts';
import { hasPresentLines, keptFileText } from './corrections.ts';
import { writeExport } from './exports.ts';
import { nameBeside, rightsFlags } from './given-file.ts';
import { checkNewMedia, sourceOf } from './ingest.ts';
import { checkMuxed, muxFilm, plannedMux } from './muxed-film.ts';
import { checkSubtitleFiles, givenSubtitles, subtitlesFlags } from './sources.ts';
import { knownLanguages } from './study.ts';

/** The names of attached files give their format: `--format` is that of the captions. */
const { format: _formatOfAttached, ...attachedFlags } = subtitlesFlags;

const flags: FlagTable = {
  to: single('TAG', 'the spoken language', 'the language of the captions, such as de'),
  from: single('TAG', 'the only one that the film names', 'the spoken language'),
  track: repeatable('N', 'the plan names it', 'the subtitle track to take, by its number; once for each language'),
  format: single('FORMAT', 'srt', 'srt, vtt or ass'),
  bilingual: toggle('writes both languages into one file, the translation above the original'),
  output: single('FILE', 'beside the film, such as film.de.srt', 'the file to write; for one film'),
  mux: single(
    'FILE',
    null,
    'also writes a copy of the film with the captions in it; ends in .mkv, .mp4, .m4v, .mov or .webm',
  ),
  again: toggle('makes captions of an earlier version again, by the rules of now; those captions stay'),
  strict: toggle('ends with 5 if speech has no line, lines are left out, or their timing is unknown'),
  attest: toggle('approves without a question; needs --reviewer'),
  reviewer: single('NAME', 'asked at a terminal', 'the reviewer of the host, by name or id, who approves'),
  ...rightsFlags,
  ...attachedFlags,
  ...hostFlags,
};

/** How often a command looks whether captions that are being made are there, in ms. */
const underWayMs = 500;

function formatOf(given: GivenFlags): CaptionFormat {
  const text = given.single('format') ?? 'srt';
  const format = captionFormats.find((each) => each === text);
  if (format === undefined)
    throw new WrongCall(`--format ${text} is unknown: give one of ${captionFormats.join(', ')}`);
  return format;
}

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

/** Asks the person at the terminal for the spoken language, as a tag or by its name. Null without an answer. */
async function askedLanguage({ terminal }: CommandCall, label: string): Promise<string | null> {
  const tagOf = (text: string): string => (isLanguage(text) ? text : (meantLanguage(text) ?? text));
  const faultOf = (text: string): string | null =>
    isLanguage(tagOf(text)) ? null : `${text} is not known as a language: give a code such as ko, en or pt-BR`;
  const answer = await textAnswer(
    terminal,
    `Which language is spoken in ${label}? (its name or code, such as en)`,
    faultOf,
  );
  return answer === null ? null : tagOf(answer);
}

/**
 * The spoken language: the one that `flag` gives, else the tag of the default sound or of the only text language. Without a tag it is the only one
 * that was identified in the sound, or else the answer of the person about their one film. Throws `WrongCall` with the languages that
 * are known of the film.
 */
export async function spokenLanguageOf(
  call: CommandCall,
  {
    source,
    probe,
    isOnly,
    flag = 'from',
  }: { source: SourceSessionRow; probe: MediaProbe; isOnly: boolean; flag?: 'from' | 'language' },
): Promise<string> {
  const named = call.given.single(flag);
  if (named !== undefined) return named;
  const sound = probe.tracks.filter(({ type }) => type === 'audio');
  const tagged = baseLanguage(defaultSound(sound)?.language ?? '') ?? undefined;
  const others = languagesOf(sound).filter((each) => each !== tagged);
  if (tagged !== undefined && others.length > 0) {
    const also = others.map(namedLanguage).join(' and ');
    call.terminal.remark(
      `spoken language: ${namedLanguage(tagged)}, that of the default sound; it also has ${also}: --${flag} ${others[0]} takes it`,
    );
  }
  const texts = languagesOf(textTracks(probe));
  const language = tagged ?? (texts.length === 1 ? texts[0] : undefined);
  if (language !== undefined) return language;
  const asked = { targetLanguage: 'en', outputDepth: 'evidence' } as const;
  const known = await knownLanguages(call.host, source, asked, { startMs: 0, endMs: source.durationMs });
  const spoken = known?.languages ?? [];
  if (spoken.length === 1 && spoken[0] !== undefined) {
    call.terminal.remark(
      `spoken language: ${spoken[0]}, as it was identified in the sound; --${flag} TAG names another`,
    );
    return spoken[0];
  }
  const found = [
    ...(spoken.length === 0 ? [] : [`speech in ${spoken.map(namedLanguage).join(' and ')}`]),
    ...(texts.length === 0 ? [] : [`subtitles in ${texts.map(namedLanguage).join(' and ')}`]),
  ];
  const has = found.length === 0 ? '' : ` It has ${found.join(', and ')}.`;
  if (isOnly && call.terminal.isInteractive && !call.terminal.json) {
    if (has !== '') call.terminal.remark(`The film does not name one spoken language.${has}`);
    const answer = await askedLanguage(call, source.label);
    if (answer !== null) {
      call.terminal.remark(`spoken language: ${namedLanguage(answer)}`);
      return answer;
    }
  }
  const [first = 'en'] = [...spoken, ...texts];
  throw new WrongCall(
    `the language that is spoken in ${source.label} is unknown.${has} Name it, such as ${englishName(first)}:\n  ${typedAgain([`--${flag}`, first])}`,
  );
}

/** A film whose captions are made, or can be. */
interface PreparedFilm {
  readonly call: CommandCall;
  readonly asked: AskedFile;
  readonly source: SourceSessionRow;
  readonly probe: MediaProbe;
  readonly study: StudiedFilm;
}

/** Takes a film in and studies it, up to the decision of a person. */
async function prepared(call: CommandCall, taken: Map<string, string>, isOnly: boolean): Promise<PreparedFilm> {
  const { given, host } = call;
  const film = argument(given, 0, 'FILM');
  const source = await sourceOf({ ...call, given: forAttached(given) }, film);
  const probe = await host.mediaProbe(source.sourceSessionId);
  const spoken = await spokenLanguageOf(call, { source, probe, isOnly });
  const target = given.single('to') ?? spoken;
  const asked = { film, target, format: formatOf(given) };
  await checkTargets(call, asked, taken);
  const mux = pathOption(given, 'mux');
  // Found by ffmpeg, it would have cost a study and an approval.
  if (mux !== null) for (const remark of plannedMux(mux, probe).remarks) call.terminal.remark(remark);
  const { subtitleTracks } = await host.subtitles.list(source.sourceSessionId);
  const readTracks = textTracks(probe).filter(({ codec }) => readSubtitleCodecs.includes(codec));
  const texts = [...readTracks, ...subtitleTracks].map(({ language }) => language ?? '');
  // A text in one language serves both sides.
  const needed = areOneLanguage(spoken, target) ? [target] : [spoken, target];
  const lacking = needed.filter((asked) => !texts.some((tag) => mayServe(tag, asked)));
  const request = {
    requestedSourceLanguage: spokenLanguage(spoken),
    targetLanguage: target,
    outputDepth: 'captions',
    range: { startMs: 0, endMs: source.durationMs },
  } as const;
  const study = await captionableStudy(call, { film, source, request, spoken, lacking });
  return { call, asked, source, probe, study };
}

/** Makes the captions of an approved study, unless they are made or being made. */
async function madeCaptions({ call, study }: PreparedFilm): Promise<void> {
  const { host, terminal, signal } = call;
  const { runtimeId, method } = study;
  for (;;) {
    const { captions } = await host.overview(runtimeId);
    if (captions.state === 'done' || captions.state === 'withheld') return;
    terminal.progress('making the captions');
    if (captions.state !== 'under_way') {
      await host.captions.produce(runtimeId, { method });
      return;
    }
    // An earlier call was killed while its host made them.
    await pause(underWayMs, undefined, { signal });
  }
}

/** Makes and writes the captions of a film. `approved` is the plan that a person approved in this call. */
async function finished(film: PreparedFilm, approved: CaptionPlan | null = null): Promise<ExitCode> {
  const { call, study } = film;
  const { host, terminal, signal } = call;
  const { runtimeId } = study;
  await madeCaptions(film);
  const control = await host.captions.checked(runtimeId, signal);
  const { outcome, reasonCodes } = filedCaptions(control, await host.captions.corrections(runtimeId));
  if (outcome === 'withheld') {
    terminal.result({ runtimeId, control }, [withheldLine(runtimeId, reasonCodes)]);
    return exitCodes.withheld;
  }
  return written(film, approved);
}

/** A file that has the name of captions, and other text. */
interface KeptFile {
  readonly runtimeId: string;
  /** It is an SRT in one language, whose edits can be taken. */
  readonly isEditable: boolean;
  /** The names of the subtitle files that are attached to the film. */
  readonly attached: readonly string[];
}

/** Why a file that the person did not name is not replaced: it may be their own, or have their edits. */
function keptText(path: string, { runtimeId, isEditable, attached }: KeptFile): string {
  const overwriting = typedAgain(['--output', path]);
  if (!attached.includes(basename(path))) return keptFileText(path, { runtimeId, isEditable, overwriting });
  const extension = extname(path);
  const other = join(dirname(path), nameBeside(basename(path, extension), `.captions${extension}`));
  return `${path} is a subtitle file that you attached to the film, so it was kept. Write the captions to another file:\n  ${typedAgain(['--output', other])}`;
}

/** Writes the captions, and with `--mux` the film with them. */
async function written(film: PreparedFilm, approved: CaptionPlan | null): Promise<ExitCode> {
  const { call, asked, source, probe, study } = film;
  const { host, given, terminal, signal } = call;
  const { runtimeId } = study;
  const side = given.has('bilingual') ? 'both' : 'target';
  const form = { side, lines: presentBreaks } as const;
  const exported = { name: `captions.${asked.format}`, options: form } as const;
  const plan = approved ?? (await captionPlanOf(call, study))?.plan ?? null;
  // Of a track in another region than the asked one, the file has the name of what it is.
  const language = plan?.sides.target.choice?.chosen?.language ?? asked.target;
  const { subtitleTracks } = await host.subtitles.list(source.sourceSessionId);
  const attached = subtitleTracks.map(({ label }) => label);
  const path = outputIn(language, given, asked, attached);
  const corrections = await host.captions.corrections(runtimeId);
  const isEditable = asked.format === 'srt' && side === 'target';
  const isKept = attached.includes(basename(path)) || !isEditable || !(await hasPresentLines(path, corrections, side));
  const refusal = given.has('output') || !isKept ? null : keptText(path, { runtimeId, isEditable, attached });
  const file = await writeExport(host, runtimeId, exported, path, signal, refusal);
  const mux = pathOption(given, 'mux');
  if (mux !== null) {
    terminal.progress(`writing ${mux}`);
    const captions = { path: file.path, language };
    await muxFilm(resolve(asked.film), plannedMux(mux, probe).muxing, [captions], mux, signal);
  }
  const guidelines = await host.captions.guidelines(runtimeId, form);
  for (const remark of guidelineLines(guidelines)) terminal.remark(remark);
  for (const note of captionNotes(await host.overview(runtimeId))) terminal.remark(note);
  const untranslated = untranslatedLine(corrections, await host.captions.results(runtimeId));
  if (untranslated !== null) terminal.remark(untranslated);
  const { lines } = corrections;
  // A person may have added lines since the approval.
  const present = plan === null ? null : presentPlan(plan, lines);
  terminal.remark(
    present === null ? `Captions written: ${countText(lines.length, 'line')}` : endLine(present, lines.length),
  );
  const { reports } = guidelines;
  terminal.result({ runtimeId, side, language, captions: file, muxed: mux, plan, guidelines: reports }, [
    file.path,
    ...(mux === null ? [] : [mux]),
  ]);
  return given.has('strict') && !(present !== null && isComplete(present)) ? exitCodes.incomplete : exitCodes.done;
}

async function check(given: GivenFlags, terminal: Terminal): Promise<void> {
  const films = await namedFilms(given);
  for (const name of ['from', 'to']) {
    const tag = given.single(name);
    if (tag !== undefined) checkLanguage(tag, `--${name}`);
  }
  formatOf(given);
  namedTracks(given);
  const mux = pathOption(given, 'mux');
  if (mux !== null) checkMuxed(mux);
  const [film = ''] = films;
  if (mux !== null && !existsSync(film)) throw new WrongCall(`--mux needs the film itself, and ${film} is not a file`);
  if (given.has('attest') && given.single('reviewer') === undefined)
    throw new WrongCall('--attest needs --reviewer NAME');
  for (const each of films) await checkFolder(pathOption(given, 'output') ?? besideFilm(each), 'output');
  if (mux !== null) await checkFolder(mux, 'mux');
  const attaching = { given: forAttached(given), terminal };
  await checkSubtitleFiles(attaching, givenSubtitles(attaching));
  await checkNewMedia({ given: { ...given, positional: films }, terminal });
}

/** So many lines are shown of each film if there are several. */
const linesOfSeveral = 4;

/** Remarks on subtitles whose times are known to be off. */
const offTimes: readonly string[] = ['side_shifted', 'side_drifts', 'side_in_parts'];

/** Names the command that moves the subtitles of a plan to the speech, if they are off and this program has the command. */
async function offerMoving({ terminal }: CommandCall, film: string, { remarks, sides }: CaptionPlan): Promise<void> {
  const off = new Set<number>();
  for (const { code, params } of remarks) {
    if (!offTimes.includes(code) || !('against' in params) || params.against !== 'sound') continue;
    const { chosen = null } = sides[params.side].choice ?? {};
    if (chosen !== null) off.add(chosen.trackIndex);
  }
  if (off.size === 0) return;
  const { features } = await import('../../features/features.ts');
  if (verbsOf(features, 'subtitles')?.fix === undefined) return;
  const commands = [...off].map((track) => asTyped(`subtitles fix ${shellPath(film)} --track ${track}`));
  terminal.remark(`To move the subtitles to the speech first, answer no and type: ${commands.join(' and ')}`);
}

/** Shows the plan of a film that waits for a person. */
async function filmToApprove(film: PreparedFilm, films: number): Promise<FilmToApprove<PreparedFilm>> {
  const { call, study, asked } = film;
  const { runtimeId } = study;
  const shown = await shownPlan(call, study, films > 1 ? linesOfSeveral : undefined);
  const obstacles = shown === null ? [] : obstacleLines(shown.plan);
  if (obstacles.length > 0) throw new WrongCall(`no captions can be made of ${asked.film}: ${obstacles.join('; ')}`);
  if (shown !== null) await offerMoving(call, asked.film, shown.plan);
  const { reviewer } = await call.host.reviews.decisions(runtimeId);
  return { film, call, runtimeId, name: asked.film, reviewer, shown };
}

/** The worst of several ends: a failure before withheld captions, and these before incomplete ones. */
const worstOf = (ends: readonly ExitCode[]): ExitCode =>
  [exitCodes.failed, exitCodes.withheld, exitCodes.incomplete].find((code) => ends.includes(code)) ?? exitCodes.done;

/**
 * Films to captions. All are studied first; then a person answers one question, and each film gets a decision of its own. Of several
 * films, one that fails is named, and the others go on.
 */
async function run(call: CommandCall): Promise<ExitCode> {
  const calls = callsOf(call, await namedFilms(call.given));
  const ends: ExitCode[] = [];
  const failed: string[] = [];
  const taken = new Map<string, string>();
  const step = async <Result>(of: CommandCall, work: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await work();
    } catch (error) {
      const { line, exit } = failedEnd(error, { command: 'caption', signal: call.signal });
      if (calls.length === 1 || exit === exitCodes.interrupted || exit === exitCodes.noHost) throw error;
      const [film = ''] = of.given.positional;
      call.terminal.remark(line.includes(film) ? line : `${film}: ${line}`);
      if (call.terminal.json) call.terminal.result({ film, failed: line }, []);
      ends.push(exitCodes.failed);
      failed.push(film);
      return null;
    }
  };
  const waiting: FilmToApprove<PreparedFilm>[] = [];
  for (const [at, each] of calls.entries()) {
    if (calls.length > 1) call.terminal.remark(`Film ${at + 1} of ${calls.length}: ${each.given.positional[0]}`);
    await step(each, async () => {
      const film = await prepared(each, taken, calls.length === 1);
      if (await needsApproval(each, film.study.runtimeId)) waiting.push(await filmToApprove(film, calls.length));
      else ends.push(await finished(film));
    });
  }
  await approveFilms(call, waiting, async ({ film, shown }, approve) => {
    await step(film.call, async () => {
      await approve();
      ends.push(await finished(film, shown?.plan));
    });
  });
  if (failed.length > 0) {
    const what = `${failed.length} of ${calls.length} films have no captions: ${failed.join(', ')}`;
    call.terminal.remark(`${what}. What was wrong is above; the same command makes only what is left.`);
  }
  return worstOf(ends);
}

/** From a film to its captions. */
export const caption: HostCommand = {
  usage: 'media-study caption FILM… [flags]',
  purpose:
    'Makes captions of films. It takes each film in, studies it and shows the plan of its captions. After your approval it checks the captions and writes the files. FILM is a file, a folder with films, or the id or label of a source.',
  flags,
  positionals: 1000,
  beginsData: true,
  interrupted: () => 'finished work is kept; run the same command again to continue',
  check,
  run,
};
