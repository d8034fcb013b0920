import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import { approvalReasons, attestations, type Reviewer } from '../../contract/review.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import type { CaptionObstacle } from '../../contract/study/start.ts';
import { recognizerProgram } from '../../executors/recognition/open-recognizer.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { dataRootOf, hasDataRoot } from '../options/data-root.ts';
import { type FlagTable, type GivenFlags, pathOption, single, toggle } from '../options/flags.ts';
import {
  type EngineSettings,
  foundServers,
  pocketsphinxOffer,
  pocketsphinxSettings,
  recognizedSettings,
  serverOffer,
  translatorSettings,
} from '../settings/engine-search.ts';
import { readSettings, type Settings, withoutLeftovers, writeSettings } from '../settings/settings-file.ts';
import { argument, asTyped, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { checkLanguage, englishName } from '../terminal/language-tag.ts';
import { namedHost } from '../terminal/running-host.ts';
import { type ExitCode, exitCodes } from '../terminal/terminal.ts';
import { writeExport } from './exports.ts';
import { checkRights, rightsFlags } from './given-file.ts';
import { ingested, withSubtitles } from './ingest.ts';
import { checkMuxed, muxFilm } from './muxed-film.ts';
import { namedSource } from './named.ts';
import { mustAgree } from './review.ts';
import { checkSubtitleFiles, givenSubtitles, subtitlesFlags } from './sources.ts';

/** An engine of this machine that captions could be made with, and what it means to use it. */
interface FoundEngine {
  /** One sentence for the person at the terminal: what it does, what leaves the machine, what it costs. */
  readonly offer: string;
  /** The settings that use it. */
  readonly settings: EngineSettings;
}

/** The recognizer of this machine that needs nothing but to be installed; null if it is not, or for a language it does not have. */
async function foundRecognizer(language: string): Promise<FoundEngine | null> {
  if (!/^en\b/i.test(language) || (await recognizerProgram('pocketsphinx', process.env)) === null) return null;
  return { offer: pocketsphinxOffer, settings: { ...pocketsphinxSettings, ...recognizedSettings } };
}

/** The model server of this machine that translates for an executor; null if none answers or it has no model. */
async function foundTranslator(executor: string): Promise<FoundEngine | null> {
  const found = (await foundServers({})).find(({ models }) => models.length > 0);
  if (found === undefined) return null;
  return { offer: serverOffer(found), settings: translatorSettings(executor, found.server, found.models[0] ?? '') };
}

const formats = ['srt', 'vtt', 'ass'] as const;
type Format = (typeof formats)[number];

/** The names of attached files give their format: `--format` is that of the captions. */
const { format: _formatOfAttached, ...attachedFlags } = subtitlesFlags;

const flags: FlagTable = {
  to: single('TAG', 'the spoken language', 'the language of the captions, such as de'),
  from: single('TAG', 'what the tracks say', 'the spoken language'),
  format: single('FORMAT', 'srt', 'srt, vtt or ass'),
  bilingual: toggle('writes both languages into one file, the translation above the original'),
  output: single('FILE', 'beside the film, such as film.de.srt', 'the file that is written'),
  mux: single(
    'FILE',
    null,
    'also writes a copy of the film with the captions in it; ends in .mkv, .mp4, .m4v, .mov or .webm',
  ),
  attest: toggle('approves without a question, in the name that --reviewer gives, and needs it'),
  reviewer: single('NAME', 'asked at a terminal', 'the name or the id of the reviewer of the host, who approves'),
  ...rightsFlags,
  ...attachedFlags,
  ...hostFlags,
};

/** How many lines a person is shown before the question; `lines` shows all. */
const firstLines = 12;

/** The checked arguments of the call. */
interface Asked {
  readonly film: string;
  readonly spoken: string;
  readonly target: string;
  readonly format: Format;
  /** True if a text track is in the spoken language, so that no speech has to be recognized. */
  readonly hasSpokenText: boolean;
  /** True if a text track is in the language of the captions, so that nothing has to be translated. */
  readonly hasTargetText: boolean;
}

function formatOf(given: GivenFlags): Format {
  const text = given.single('format') ?? 'srt';
  const format = formats.find((each) => each === text);
  if (format === undefined) throw new WrongCall(`--format ${text}: one of ${formats.join(', ')}`);
  return format;
}

/** The given flags, for the functions of attached files. */
const forAttached = (given: GivenFlags): GivenFlags => ({
  ...given,
  single: (name) => (name === 'format' ? undefined : given.single(name)),
  has: (name) => name !== 'format' && given.has(name),
});

/** The source that was made of these very bytes before; its attestation still holds. */
async function knownFile({ host }: CommandCall, film: string): Promise<SourceSessionRow | undefined> {
  const sources = (await host.sources()).filter(({ rightsScope }) => rightsScope === 'local_processing');
  if (sources.length === 0 || !existsSync(film)) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(film), hash);
  const contentId = `sha256:${hash.digest('hex')}`;
  return sources.find(({ sourceContentId }) => sourceContentId === contentId);
}

async function sourceOf(call: CommandCall, film: string): Promise<SourceSessionRow> {
  const known = (await namedSource(call, film, !existsSync(film))) ?? (await knownFile(call, film));
  const attaching = { ...call, given: forAttached(call.given) };
  return known === undefined ? ingested(attaching, film) : withSubtitles(attaching, known, givenSubtitles(attaching));
}

const textTracks = ({ tracks }: MediaProbe) => tracks.filter(({ type }) => type === 'subtitle');

/** The spoken language: the one that was given, else the one that the sound or the only text track is tagged with. */
function spokenLanguageOf({ given }: CommandCall, probe: MediaProbe, film: string): string {
  const named = given.single('from');
  if (named !== undefined) return named;
  const sound = probe.tracks.find(({ type, language }) => type === 'audio' && baseLanguage(language ?? '') !== null);
  const [text, ...others] = textTracks(probe).filter(({ language }) => baseLanguage(language ?? '') !== null);
  const tagged = sound?.language ?? (others.length === 0 ? text?.language : undefined);
  const language = tagged === undefined ? null : baseLanguage(tagged);
  if (language !== null) return language;
  throw new WrongCall(`no track of ${film} names the spoken language; add it, such as --from en for English`);
}

/** The reason why this host cannot make captions of this film; null if it can. */
async function obstacleOf(call: CommandCall, source: SourceSessionRow, request: StudyRequest, isQuiet = false) {
  const { warnings } = await call.host.warnings(source, request);
  for (const warning of warnings) {
    if (warning.code === 'captions_not_possible') return warning;
    if (!isQuiet && warning.code !== 'no_video_track') call.terminal.remark(`warning ${warning.code}: ${warning.text}`);
  }
  return null;
}

const textsAreMissing: readonly CaptionObstacle[] = [
  'no_text_tracks',
  'no_text_track_in_language',
  'no_recognizer',
  'no_translator',
  'no_caption_executor',
];

const assignment = ([name, value]: readonly [string, unknown]): string => `${name}=${value}`;

/** The caption executor that these captions need. */
function neededExecutor({ spoken, target, hasSpokenText, hasTargetText }: Asked): string {
  const translates = baseLanguage(spoken) !== baseLanguage(target);
  if (hasSpokenText) return translates && !hasTargetText ? 'subtitles-translated' : 'grouped-subtitles';
  return translates ? 'recognized-translated' : 'recognized';
}

/**
 * The options of a host for these captions, with engines that a person has allowed in the settings. Settings for another film
 * must not block this one. Null if an engine is missing, or if the settings are for such captions already.
 */
function optionsFor(asked: Asked, settings: Settings): readonly string[] | null {
  const executor = neededExecutor(asked);
  if ((settings.get('caption-executor') ?? 'grouped-subtitles') === executor) return null;
  if (executor.startsWith('recognized') && !settings.has('semantic-recognizer')) return null;
  if (executor === 'grouped-subtitles') return ['--caption-executor', executor, '--allow-embedded-subtitle-captions'];
  if (executor === 'recognized') return ['--caption-executor', executor, '--allow-recognized-captions'];
  const model = settings.get('caption-translation-model');
  const isAskedOnce = settings.get('caption-translation-asked-once') === true;
  if (model === undefined || settings.get('allow-real-caption-production') !== true) return null;
  return [
    ...['--caption-executor', executor, '--caption-translation-model', String(model)],
    ...['--allow-real-caption-production', ...(isAskedOnce ? ['--caption-translation-asked-once'] : [])],
  ];
}

/** Offers the engines of this machine that would make captions possible, once; true if the person took them. */
async function engineTaken(call: CommandCall, asked: Asked, settings: Settings): Promise<boolean> {
  const { terminal, given } = call;
  const { spoken, target, hasSpokenText } = asked;
  const executor = neededExecutor(asked);
  const translates = baseLanguage(spoken) !== baseLanguage(target);
  const needsRecognizer = !hasSpokenText && !settings.has('semantic-recognizer');
  const recognizer = needsRecognizer ? await foundRecognizer(spoken) : null;
  const translator = translates ? await foundTranslator(executor) : null;
  if ((needsRecognizer && recognizer === null) || (translates && translator === null)) return false;
  const offers = [recognizer, translator].filter((engine) => engine !== null);
  if (offers.length === 0) return false;
  const taken = new Map(offers.flatMap(({ settings: use }) => Object.entries(use)));
  if (translator !== null) taken.delete('allow-recognized-captions');
  for (const { offer } of offers) terminal.remark(offer);
  if (!call.isOwnHost() || !terminal.isInteractive) {
    terminal.remark(`to use it: ${asTyped(`settings set ${[...taken].map(assignment).join(' ')}`)}`);
    return false;
  }
  if ((await terminal.ask('Use it for captions, now and from now on? Type yes: ')) !== 'yes') return false;
  await writeSettings(dataRootAt(dataRootOf(given)).settings, withoutLeftovers(settings, taken));
  terminal.remark(`remembered: ${asTyped('settings')} shows it`);
  return true;
}

/** The call with a host that can make these captions. Throws `WrongCall` with the way out if none can. */
async function ableCall(
  call: CommandCall,
  source: SourceSessionRow,
  request: StudyRequest,
  asked: Asked,
): Promise<CommandCall> {
  const obstacle = await obstacleOf(call, source, request);
  if (obstacle === null) return call;
  if (textsAreMissing.includes(obstacle.reason)) {
    const settings = (await readSettings(dataRootAt(dataRootOf(call.given)).settings)) ?? new Map();
    const options = call.isOwnHost() ? optionsFor(asked, settings) : null;
    if (options !== null || (await engineTaken(call, asked, settings))) {
      const able = { ...call, host: await call.restartHost(options ?? []) };
      if ((await obstacleOf(able, source, request, true)) === null) return able;
    }
  }
  const way = !call.isOwnHost()
    ? `This host was running before the command. Stop it and run the command again, or restart it with another --caption-executor: ${asTyped('serve --help')}`
    : `Attach a subtitle file by --subtitles, or set a recognizer: ${asTyped('settings --help')}`;
  throw new WrongCall(`no captions can be made of ${asked.film}: ${obstacle.text}. ${way}`);
}

interface ShownLine {
  readonly startMs: number;
  readonly text: string;
}

/** How a person calls a kind of text. Each subtitle track has its identified language in the row of languages at its place. */
const kindNames: Readonly<Record<string, string>> = {
  subtitle_track: 'subtitle track',
  transcript: 'recognized speech',
};

/** The texts that the captions will be made of, in order of time. */
async function linesFound(
  { host }: CommandCall,
  runtimeId: string,
): Promise<{ readonly what: string; readonly lines: ShownLine[] }[]> {
  const { evidence } = await host.evidence(runtimeId);
  const factsOf = (wanted: string) => evidence.filter(({ kind }) => kind === wanted).map(({ facts }) => facts);
  const languages = factsOf('text_language').map(([fact]) => (fact?.kind === 'track_language' ? fact.code : null));
  return Object.keys(kindNames).flatMap((kind) =>
    factsOf(kind).flatMap((facts, place) => {
      const lines = facts.flatMap((fact) =>
        'text' in fact && 'startMs' in fact ? [{ startMs: fact.startMs, text: fact.text }] : [],
      );
      const code = kind === 'subtitle_track' ? (languages[place] ?? null) : null;
      const what = `${kindNames[kind]}${code === null ? '' : ` in ${englishName(code)}`}`;
      return lines.length === 0 ? [] : [{ what, lines }];
    }),
  );
}

const shownLine = ({ startMs, text }: ShownLine): string => `  ${timeCode(startMs)}  ${text.replaceAll('\n', ' / ')}`;

/** Shows what the captions will be made of, and asks the person to approve. Throws `WrongCall` if nothing is approved. */
async function attestedBy(call: CommandCall, runtimeId: string, reviewer: Reviewer): Promise<void> {
  const { terminal } = call;
  const found = await linesFound(call, runtimeId);
  terminal.remark(`the captions will be made of: ${found.map(({ what }) => what).join(', ')}`);
  for (const { what, lines } of found) {
    terminal.remark(`${what}: ${lines.length} lines`);
    for (const line of lines.slice(0, firstLines)) terminal.remark(shownLine(line));
    if (lines.length > firstLines) terminal.remark(`  … and ${lines.length - firstLines} more`);
  }
  if (!mustAgree(call, reviewer, { statement: attestations.decision, verb: 'approve' })) return;
  for (;;) {
    const answer = await terminal.ask('Type yes to attest this, lines to read all lines: ');
    if (answer === 'yes') return;
    if (answer !== 'lines')
      throw new WrongCall('nothing was approved: not attested. The study stays; run the command again');
    for (const { lines } of found) for (const line of lines) terminal.remark(shownLine(line));
  }
}

/** Approves a study, unless it is approved. Throws `WrongCall` for one that was rejected or withheld. */
async function approve(call: CommandCall, runtimeId: string): Promise<void> {
  const { reviews } = call.host;
  const { reviewer, reviews: known } = await reviews.decisions(runtimeId);
  if (known.some(({ state }) => state === 'approved_for_caption_production')) return;
  if (known.length > 0) throw new WrongCall(`the study was reviewed already: ${known[0]?.state.replaceAll('_', ' ')}`);
  await attestedBy(call, runtimeId, reviewer);
  const decision = { outcome: 'approve_for_caption_production', reasonCodes: approvalReasons, note: null } as const;
  await reviews.decide(runtimeId, decision, { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation });
}

async function madeCaptions(call: CommandCall, runtimeId: string): Promise<void> {
  const { captions } = await call.host.overview(runtimeId);
  if (captions.state === 'done' || captions.state === 'withheld') return;
  await approve(call, runtimeId);
  call.terminal.progress('making the captions');
  await call.host.captions.produce(runtimeId);
}

function outputOf(given: GivenFlags, { film, target, format }: Asked): string {
  const named = pathOption(given, 'output');
  if (named !== null) return named;
  const path = resolve(existsSync(film) ? film : basename(film));
  return join(dirname(path), `${basename(path, extname(path))}.${target}.${format}`);
}

/** Throws `WrongCall` if the captions would replace the film, or a subtitle file that the call attaches. */
async function checkTargets(given: GivenFlags, asked: Asked): Promise<void> {
  const placeOf = (path: string) => realpath(path).catch(() => path);
  const attaching = { given: forAttached(given) };
  const read = [resolve(asked.film), ...(await checkSubtitleFiles(attaching, givenSubtitles(attaching)))];
  const places = await Promise.all(read.map(placeOf));
  for (const [flag, path] of [
    ['output', outputOf(given, asked)],
    ['mux', pathOption(given, 'mux')],
  ] as const) {
    if (path === null || !places.includes(await placeOf(path))) continue;
    throw new WrongCall(`${path} is a file that this command reads: name another one by --${flag}`);
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
  const attaching = { given: forAttached(given) };
  await checkSubtitleFiles(attaching, givenSubtitles(attaching));
  if (existsSync(film) && namedHost(process.env) === null && !hasDataRoot(given)) {
    await checkRights({ given, terminal }, basename(film));
  }
}

async function run(first: CommandCall): Promise<ExitCode> {
  const { given, terminal, signal } = first;
  const film = argument(given, 0, 'FILM');
  const source = await sourceOf(first, film);
  const probe = await first.host.mediaProbe(source.sourceSessionId);
  const spoken = spokenLanguageOf(first, probe, film);
  const target = given.single('to') ?? spoken;
  const hasText = (wanted: string) =>
    textTracks(probe).some(({ language }) => baseLanguage(language ?? '') === baseLanguage(wanted));
  const texts = { hasSpokenText: hasText(spoken), hasTargetText: hasText(target) };
  const asked = { film, spoken, target, format: formatOf(given), ...texts };
  await checkTargets(given, asked);
  const request = {
    requestedSourceLanguage: spokenLanguage(spoken),
    targetLanguage: asked.target,
    outputDepth: 'captions',
    range: { startMs: 0, endMs: source.durationMs },
  } as const;
  const call = await ableCall(first, source, request, asked);
  const { host } = call;
  const study = host.study(source, request, {
    signal,
    onProgress: (progress) => terminal.measured(source.label, progress),
  });
  const { runtimeId, lifecycle } = await study.ended();
  if (lifecycle !== 'terminal') {
    const { situation } = await host.overview(runtimeId);
    throw new Error(`the study ${runtimeId} ended without captions: ${situation.text}`);
  }
  await madeCaptions(call, runtimeId);
  const control = await host.captions.checked(runtimeId, signal);
  if (control.outcome === 'withheld') {
    terminal.result({ runtimeId, control }, [`the captions are withheld: ${control.reasonCodes.join(', ')}`]);
    return exitCodes.withheld;
  }
  return written(call, runtimeId, probe, asked);
}

/** Writes the captions, and with `--mux` the film with them. */
async function written(call: CommandCall, runtimeId: string, probe: MediaProbe, asked: Asked): Promise<ExitCode> {
  const { host, given, terminal, signal } = call;
  const side = given.has('bilingual') ? 'both' : 'target';
  const exported = { name: `captions.${asked.format}`, options: { side, lines: 'netflix.v1' } } as const;
  const file = await writeExport(host, runtimeId, exported, outputOf(given, asked), signal);
  const mux = pathOption(given, 'mux');
  if (mux !== null) {
    terminal.progress(`writing ${mux}`);
    const subtitleCodecs = textTracks(probe).map(({ codec }) => codec);
    await muxFilm(resolve(asked.film), subtitleCodecs, [{ path: file.path, language: asked.target }], mux, signal);
  }
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
    'Makes captions of a film: takes it in, studies it, shows the lines, asks once for an approval, checks the captions and writes them. FILM is a file, or the id or label of a source.',
  flags,
  positionals: 1,
  beginsData: true,
  interrupted: () => 'what is done stays; the same command goes on from there',
  check,
  run,
};
