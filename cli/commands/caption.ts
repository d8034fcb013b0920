import { constants, existsSync } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import { causesText } from '../../contract/causes/wording.ts';
import { approvalReasons, attestations, type Reviewer } from '../../contract/review.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import type { CaptionObstacle } from '../../contract/study/start.ts';
import { recognizerProgram } from '../../executors/recognition/open-recognizer.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { dataRootOf } from '../options/data-root.ts';
import { type FlagTable, type GivenFlags, pathOption, single, toggle } from '../options/flags.ts';
import {
  type EngineSettings,
  foundServers,
  ollama,
  pocketsphinxOffer,
  pocketsphinxSettings,
  recognizedSettings,
  serverOffer,
  translatorSettings,
} from '../settings/engine-search.ts';
import {
  changeSettings,
  readSettings,
  type Settings,
  type SettingValue,
  withoutLeftovers,
} from '../settings/settings-file.ts';
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
import { unrecognizedLines, warningLine, withheldLine } from '../terminal/summary.ts';
import { type ExitCode, exitCodes } from '../terminal/terminal.ts';
import { captionTexts, guidelineRemark, isOfSpeech, rowsRemark, timedLine } from './caption-lines.ts';
import { filedCaptions } from './captions.ts';
import { writeExport } from './exports.ts';
import { rightsFlags, targetFile } from './given-file.ts';
import { checkNewMedia, sourceOf } from './ingest.ts';
import { checkMuxed, muxFilm } from './muxed-film.ts';
import { checkReviewer, mustAgree } from './review.ts';
import { checkSubtitleFiles, givenSubtitles, subtitlesFlags } from './sources.ts';
import { knownLanguages } from './study.ts';

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
  readonly hasSound: boolean;
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

/**
 * The spoken language: the given one, else the tag of the sound or of the only text language. Without a tag it is the only one
 * that was identified in the sound. Throws `WrongCall` with the languages that are known of the film.
 */
async function spokenLanguageOf(call: CommandCall, source: SourceSessionRow, probe: MediaProbe): Promise<string> {
  const named = call.given.single('from');
  if (named !== undefined) return named;
  const [tagged] = languagesOf(probe.tracks.filter(({ type }) => type === 'audio'));
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

/** The reason why this host cannot make captions of this film; null if it can. */
async function obstacleOf(call: CommandCall, source: SourceSessionRow, request: StudyRequest, isQuiet = false) {
  const { warnings } = await call.host.warnings(source, request);
  for (const warning of warnings) {
    if (warning.code === 'captions_not_possible') return warning;
    if (!isQuiet && warning.code !== 'no_video_track') call.terminal.remark(warningLine(warning));
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

/** The caption executors whose captions `subtitles-or-recognized` makes, too. */
const coveredExecutors: readonly unknown[] = ['grouped-subtitles', 'recognized', 'subtitles-or-recognized'];

/** True if a host with this caption executor in its settings makes captions as `executor` does. */
const makesAs = (usual: SettingValue, executor: string): boolean =>
  usual === executor || (usual === 'subtitles-or-recognized' && coveredExecutors.includes(executor));

/**
 * The options of a host for these captions, with engines that a person has allowed in the settings. Settings for another film
 * must not block this one. Null if an engine is missing, or if the settings are for such captions already.
 */
function optionsFor(asked: Asked, settings: Settings): readonly string[] | null {
  const executor = neededExecutor(asked);
  if (makesAs(settings.get('caption-executor') ?? 'grouped-subtitles', executor)) return null;
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

/** The engines that these captions need beside the settings. */
interface NeededEngines {
  readonly needsRecognizer: boolean;
  readonly needsTranslator: boolean;
  /** Those of them that are on this machine. */
  readonly found: readonly FoundEngine[];
  /** The settings that use them, with a word in capitals for what a person has to fill in. */
  readonly settings: ReadonlyMap<string, SettingValue>;
}

/** A recognizer for every language, for a machine on which none is found. */
const whisperSettings: EngineSettings = {
  'semantic-recognizer': 'whisper-cli',
  'semantic-recognizer-model': 'FILE',
  'allow-real-semantic-evidence': true,
};

async function enginesFor(asked: Asked, settings: Settings): Promise<NeededEngines> {
  const executor = neededExecutor(asked);
  const needsRecognizer = executor.startsWith('recognized') && !settings.has('semantic-recognizer');
  const needsTranslator = executor.endsWith('translated');
  const recognizer = needsRecognizer ? await foundRecognizer(asked.spoken) : null;
  const translator = needsTranslator ? await foundTranslator(executor) : null;
  const use = {
    ...(needsRecognizer && (recognizer?.settings ?? whisperSettings)),
    ...(needsTranslator ? (translator?.settings ?? translatorSettings(executor, ollama, 'MODEL')) : recognizedSettings),
  };
  const taken = new Map(Object.entries(use));
  if (needsTranslator) taken.delete('allow-recognized-captions');
  // An executor for other films stays in the settings: this command sets its own.
  else if (!coveredExecutors.includes(settings.get('caption-executor') ?? 'grouped-subtitles')) {
    for (const name of Object.keys(recognizedSettings)) taken.delete(name);
  }
  const found = [recognizer, translator].filter((engine) => engine !== null);
  return { needsRecognizer, needsTranslator, found, settings: taken };
}

/** Offers the engines of this machine that would make captions possible, once; true if the person took them. */
async function engineTaken(call: CommandCall, needed: NeededEngines): Promise<boolean> {
  const { terminal, given } = call;
  const { needsRecognizer, needsTranslator, found } = needed;
  if (found.length === 0 || found.length < Number(needsRecognizer) + Number(needsTranslator)) return false;
  for (const { offer } of found) terminal.remark(offer);
  if (!call.isOwnHost() || !terminal.isInteractive) return false;
  if ((await terminal.ask('Use it for captions, now and from now on? Type yes: ')) !== 'yes') return false;
  const path = dataRootAt(dataRootOf(given)).settings;
  await changeSettings(path, async (before) => withoutLeftovers(before, needed.settings));
  terminal.remark(`remembered: ${asTyped('settings')} shows it`);
  return true;
}

/** The ways to captions that a host cannot make, in sentences: subtitle files, and the settings for an engine. */
function waysOut(call: CommandCall, asked: Asked, needed: NeededEngines): string {
  const { spoken, target, hasSpokenText, hasTargetText, hasSound } = asked;
  const lacking = [...(hasSpokenText ? [] : [spoken]), ...(hasTargetText ? [] : [target])];
  const tags = new Set((lacking.length === 0 ? [target] : lacking).map((tag) => baseLanguage(tag) ?? tag));
  const files = [...tags].map((tag) => `--subtitles FILE:${tag}`).join(' ');
  const engines = [
    ...(needed.needsRecognizer ? ['a recognizer'] : []),
    ...(needed.needsTranslator ? ['a model that translates'] : []),
  ].join(' and ');
  const set = asTyped(`settings set ${[...needed.settings].map(assignment).join(' ')}`);
  const isPossible = engines !== '' && (hasSound || hasSpokenText);
  if (call.isOwnHost()) return `Attach subtitles with ${files}${isPossible ? `, or set ${engines}:\n  ${set}` : ''}`;
  const stopped = 'This host was running before the command. Stop it and run the command again';
  return isPossible ? `${stopped}, or set ${engines} and restart it:\n  ${set}` : stopped;
}

/** A call with a host that can make captions, and their executor; null if the host ran before the command. */
interface AbleCall {
  readonly call: CommandCall;
  readonly executor: string | null;
}

/**
 * The call with a host that can make these captions. The tracks of a film come before what the settings remember of another
 * film. Throws `WrongCall` with the way out if none can.
 */
async function ableCall(
  call: CommandCall,
  source: SourceSessionRow,
  request: StudyRequest,
  asked: Asked,
): Promise<AbleCall> {
  const obstacle = await obstacleOf(call, source, request);
  if (obstacle !== null && !textsAreMissing.includes(obstacle.reason))
    throw new WrongCall(`no captions can be made of ${asked.film}: ${obstacle.text}`);
  const settings = (await readSettings(dataRootAt(dataRootOf(call.given)).settings)) ?? new Map();
  const needs = neededExecutor(asked);
  const isOwn = call.isOwnHost();
  const options = isOwn && (obstacle !== null || needs === 'grouped-subtitles') ? optionsFor(asked, settings) : null;
  const usual = String(settings.get('caption-executor') ?? 'grouped-subtitles');
  if (obstacle === null && options === null) return { call, executor: isOwn ? usual : null };
  const restarted = async (flags: readonly string[], executor: string): Promise<AbleCall | null> => {
    const able = { ...call, host: await call.restartHost(flags) };
    return (await obstacleOf(able, source, request, true)) === null ? { call: able, executor } : null;
  };
  const remembered = options === null ? null : await restarted(options, needs);
  const able = remembered ?? (obstacle === null ? await restarted([], usual) : null);
  if (able !== null) return able;
  const needed = await enginesFor(asked, settings);
  if (await engineTaken(call, needed)) {
    const now = (await readSettings(dataRootAt(dataRootOf(call.given)).settings)) ?? new Map();
    const taken = await restarted(optionsFor(asked, now) ?? [], needs);
    if (taken !== null) return taken;
  }
  const reason = obstacle?.text ?? 'the host does not start again with its settings';
  throw new WrongCall(`no captions can be made of ${asked.film}: ${reason}. ${waysOut(call, asked, needed)}`);
}

/** Shows what the captions will be made of, and asks the person to approve. Throws `WrongCall` if nothing is approved. */
async function attestedBy(able: AbleCall, runtimeId: string, reviewer: Reviewer, asked: Asked): Promise<void> {
  const { call, executor } = able;
  const { terminal } = call;
  const drafts = await call.host.captions.corrections(runtimeId);
  const overview = await call.host.overview(runtimeId);
  const found = captionTexts(drafts);
  if (found.length === 0) {
    const { causes, state } = overview.captions;
    const isSilent = causes.some((cause) => cause.code === 'no_line_passed' && cause.params.lines === 0);
    const isSpeech = isSilent || (isOfSpeech(drafts) ?? executor?.startsWith('recognized') ?? false);
    const unknown = isSpeech ? 'no speech was recognized in it' : 'its subtitles have no lines';
    // The engine that failed says more than the transcript that is missing for it.
    const first = causes.map((cause) => ('cause' in cause.params && cause.params.cause) || cause);
    const none = state === 'never' && !isSilent ? causesText(first, 'terminal') : unknown;
    const attach = `--subtitles FILE:${asked.target}`;
    throw new WrongCall(`no captions can be made of ${asked.film}: ${none}. Attach subtitles with ${attach}`);
  }
  for (const line of unrecognizedLines(overview)) terminal.remark(line);
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

/** Approves a study, unless it is approved. Throws `WrongCall` for one that was rejected or withheld. */
async function approve(able: AbleCall, runtimeId: string, asked: Asked): Promise<void> {
  const { reviews } = able.call.host;
  const { reviewer, reviews: known } = await reviews.decisions(runtimeId);
  if (known.some(({ state }) => state === 'approved_for_caption_production')) return;
  if (known.length > 0)
    throw new WrongCall(`no captions can be made of ${asked.film}: ${await statusWords(able.call, runtimeId)}`);
  await attestedBy(able, runtimeId, reviewer, asked);
  const decision = { outcome: 'approve_for_caption_production', reasonCodes: approvalReasons, note: null } as const;
  await reviews.decide(runtimeId, decision, { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation });
}

async function madeCaptions(able: AbleCall, runtimeId: string, asked: Asked): Promise<void> {
  const { call } = able;
  const { captions } = await call.host.overview(runtimeId);
  if (captions.state === 'done' || captions.state === 'withheld') return;
  await approve(able, runtimeId, asked);
  call.terminal.progress('making the captions');
  await call.host.captions.produce(runtimeId);
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

async function run(first: CommandCall): Promise<ExitCode> {
  const { given, terminal, signal } = first;
  const film = argument(given, 0, 'FILM');
  const source = await sourceOf({ ...first, given: forAttached(given) }, film);
  const probe = await first.host.mediaProbe(source.sourceSessionId);
  const spoken = await spokenLanguageOf(first, source, probe);
  const target = given.single('to') ?? spoken;
  const { subtitleTracks } = await first.host.subtitles.list(source.sourceSessionId);
  const hasText = (wanted: string) =>
    [...textTracks(probe), ...subtitleTracks].some(
      ({ language }) => baseLanguage(language ?? '') === baseLanguage(wanted),
    );
  const texts = { hasSpokenText: hasText(spoken), hasTargetText: hasText(target) };
  const hasSound = probe.tracks.some(({ type }) => type === 'audio');
  const asked = { film, spoken, target, format: formatOf(given), ...texts, hasSound };
  await checkTargets(first, asked);
  const request = {
    requestedSourceLanguage: spokenLanguage(spoken),
    targetLanguage: asked.target,
    outputDepth: 'captions',
    range: { startMs: 0, endMs: source.durationMs },
  } as const;
  const able = await ableCall(first, source, request, asked);
  const { call } = able;
  const { host } = call;
  const study = host.study(source, request, {
    signal,
    onProgress: (progress) => terminal.measured(source.label, progress),
  });
  const { runtimeId } = await study.started;
  // Found at the approval, a wrong name would have cost the time of the study.
  if (given.has('reviewer')) checkReviewer(given, (await host.reviews.decisions(runtimeId)).reviewer);
  const { lifecycle } = await study.ended();
  if (lifecycle !== 'terminal') {
    throw new Error(`the study ${runtimeId} ended without captions: ${await statusWords(call, runtimeId)}`);
  }
  await madeCaptions(able, runtimeId, asked);
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
