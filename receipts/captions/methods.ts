import type { Range } from '../../contract/base/grammar.ts';
import type {
  CaptionMethod,
  CaptionMethodRow,
  CaptionMethodRows,
  PermissionSetting,
  RecognitionWish,
} from '../../contract/captions/caption-method.ts';
import type { CaptionAllowance } from '../../contract/captions/caption-production.ts';
import type { Cause, CauseWith, LinesCause } from '../../contract/causes/causes.ts';
import type { RecognizerEngine } from '../../contract/recognition.ts';
import { serves } from '../../contract/served-languages.ts';
import type { Steps } from '../../formats/steps.ts';
import { areOneLanguage, baseLanguage } from '../../rules/languages.ts';
import { secondRegion, speechRegions } from '../../rules/recognition.ts';
import { totalLengthOf } from '../../rules/time-spans.ts';
import { isTranslating } from './allowance.ts';
import { type CaptionedStudy, captionInputOf } from './captioned-study.ts';
import { studiedTracks, translatableText } from './executors.ts';
import {
  byMethod,
  type CaptionMeans,
  captionProspectBySteps,
  hasTargetTrack,
  hasTrackPair,
  type PlannedFilm,
  plannedObstaclesOf,
} from './prospect.ts';
import { transcriptOf } from './transcript-lines.ts';

/** How each method makes captions. A host with the caption executor of that name makes them so without a method. */
export const captionMeans = {
  'embedded-subtitles': { classification: 'embedded_subtitle_tracks' },
  'grouped-subtitles': { classification: 'grouped_subtitle_tracks' },
  'subtitles-translated': { classification: 'subtitle_tracks_translated' },
  recognized: { classification: 'recognised_transcript' },
  'subtitles-or-recognized': { classification: 'recognised_transcript', subtitlesFirst: true },
  'recognized-translated': { classification: 'recognised_transcript_translated' },
  'deterministic-test': { classification: 'deterministic_current_run_test_seam' },
} as const satisfies Readonly<Record<CaptionMethod, CaptionMeans>>;

/** The order in which `auto` tries methods: the text of people comes before that of a model. The test seam is not among them. */
const preferred = [
  'grouped-subtitles',
  'embedded-subtitles',
  'subtitles-translated',
  'recognized',
  'subtitles-or-recognized',
  'recognized-translated',
] as const satisfies readonly CaptionMethod[];

/** A server that gets sound or text. */
interface AskedServer {
  readonly baseUrl: string;
  readonly isLocal: boolean;
}

/** The permissions of a host, beside the executors that its settings name. */
export interface HostPermissions {
  /** Speech may be recognized: by the wish of a study, or for the method of captions. */
  readonly recognition: boolean;
  /** The base addresses of servers that text or sound may be sent to, exactly as the host has them. */
  readonly servers: readonly string[];
  /** The fixed texts of the test seam may be made. */
  readonly testSeam: boolean;
}

/** A recognizer that the settings of a host name. */
interface MethodRecognizer {
  readonly engine: RecognizerEngine;
  /** Its server, if it has one. */
  readonly provider?: AskedServer;
  /** Base codes of the languages of its model; null or absent if all that is known is its engine. */
  readonly languages?: readonly string[] | null;
}

/** True if a recognizer serves a language, by its tag. */
const isServedBy = ({ engine, languages }: MethodRecognizer, tag: string): boolean => {
  const code = baseLanguage(tag) ?? '';
  return languages?.includes(code) ?? serves(engine, code);
};

/** The engines that the settings of a host name, and what they permit. */
export interface MethodEngines {
  /** Null if none is named. */
  readonly recognizer: MethodRecognizer | null;
  /** True if every study recognizes its speech; otherwise only those that wish it, or whose captions need it. */
  readonly recognizesEveryStudy: boolean;
  /** True if each stretch of speech is recognized a second time. */
  readonly recognizesTwice: boolean;
  /** Null if no model that translates is named. */
  readonly translator: {
    readonly provider?: AskedServer;
    /** Absent if it translates between any languages. */
    readonly serves?: (from: string, to: string) => boolean;
  } | null;
  /** How captions are made without a method: what its switch permits is permitted for methods, too. */
  readonly captions: CaptionMeans;
  readonly permissions: HostPermissions;
}

const isOfSpeech = ({ classification }: CaptionMeans): boolean =>
  classification === 'recognised_transcript' || classification === 'recognised_transcript_translated';

/** A missing permission; for `permit-server` with the server. */
export type MissingPermission =
  | { readonly setting: Exclude<PermissionSetting, 'permit-server'> }
  | { readonly setting: 'permit-server'; readonly server: AskedServer; readonly what: 'sound' | 'text' };

/** The permissions that a host lacks for recognizing speech; none if it has no recognizer and may recognize. */
export function missingForRecognition(engines: MethodEngines): MissingPermission[] {
  const { recognizer, recognizesEveryStudy, permissions } = engines;
  if (recognizesEveryStudy) return [];
  const server = recognizer?.provider;
  return [
    ...(permissions.recognition ? [] : [{ setting: 'permit-recognition' } as const]),
    ...(server === undefined || permissions.servers.includes(server.baseUrl)
      ? []
      : [{ setting: 'permit-server', server, what: 'sound' } as const]),
  ];
}

/** The permissions that a host lacks for captions by a method, of a study that has all that it needs. */
export function missingForMethod(method: CaptionMethod, engines: MethodEngines): MissingPermission[] {
  const { recognizesEveryStudy, translator, captions, permissions } = engines;
  const means = captionMeans[method];
  const mayUseSpeech = recognizesEveryStudy || permissions.recognition || isOfSpeech(captions);
  const mayMakeUp =
    permissions.testSeam || captions.classification === captionMeans['deterministic-test'].classification;
  const server = isTranslating(means) && !isTranslating(captions) ? translator?.provider : undefined;
  return [
    ...(isOfSpeech(means) && !mayUseSpeech ? [{ setting: 'permit-recognition' } as const] : []),
    ...(server === undefined || permissions.servers.includes(server.baseUrl)
      ? []
      : [{ setting: 'permit-server', server, what: 'text' } as const]),
    ...(method === 'deterministic-test' && !mayMakeUp ? [{ setting: 'permit-test-seam' } as const] : []),
  ];
}

/** True if no language that a request declares is one of the recognizer of a host. */
export const isUnserved = ({ recognizer }: MethodEngines, { mode, languages }: PlannedFilm['requested']): boolean =>
  recognizer !== null &&
  (mode === 'declared' || mode === 'mixed') &&
  languages.length > 0 &&
  !languages.some((tag) => isServedBy(recognizer, tag));

/** A planned study as the recognition of its speech looks at it. */
interface PlannedRecognition {
  readonly recognition?: RecognitionWish | null | undefined;
  readonly outputDepth: 'captions' | 'evidence';
}

/**
 * Why a host does not recognize the speech of a study that it accepts now; null if it does. A wish decides, and is permitted before.
 * Without one the host recognizes every study, or, if it may, those whose captions it would make of speech.
 */
export function unrecognizedBy(
  engines: MethodEngines,
  { recognition, outputDepth }: PlannedRecognition,
  film: PlannedFilm,
): 'no_recognizer' | 'recognition_not_asked' | null {
  if (recognition === null) return 'recognition_not_asked';
  if (engines.recognizer === null) return 'no_recognizer';
  if (recognition !== undefined || engines.recognizesEveryStudy) return null;
  const { captions } = engines;
  const isNeeded = isOfSpeech(captions) && !(captions.subtitlesFirst === true && hasTrackPair(film));
  const isAsked = outputDepth === 'captions' && isNeeded && missingForRecognition(engines).length === 0;
  return isAsked ? null : 'recognition_not_asked';
}

/** The knowledge of a film or of a study for one method. */
interface MethodProspect {
  /** Why it has no line; null if it has some, or will have. */
  readonly absence: Cause | null;
  /** True if speech has to be recognized for it, by a study that has not been made. */
  readonly recognizes: boolean;
  /** True if a model translates some of its lines. */
  readonly translates: boolean;
}

/** The facts that all methods of a film or of a study have in common. */
interface CaptionedFilm {
  /** The spoken language, and that of the captions; null if no single language is declared. */
  readonly from: string | null;
  readonly to: string;
  /** The languages that its text tracks state. */
  readonly found: readonly string[];
  /** Milliseconds of sound for a recognizer. */
  readonly soundMs: number;
  /** True if the study has been made. */
  readonly isStudied: boolean;
}

/** The engines that a method lacks on a host. */
function engineObstacles(
  means: CaptionMeans,
  { recognizes, translates }: MethodProspect,
  { from, to, found, isStudied }: CaptionedFilm,
  { recognizer, translator }: MethodEngines,
): Cause[] {
  const isServed = recognizer === null || from === null || isServedBy(recognizer, from);
  const untranslated = (): CauseWith<'no_translator'> => {
    const of = isOfSpeech(means) ? (isStudied && !recognizes ? 'transcript' : 'speech') : 'subtitles';
    return { code: 'no_translator', params: { of, from: from ?? to, to, found: of === 'subtitles' ? [...found] : [] } };
  };
  return [
    ...(recognizes && recognizer === null ? [{ code: 'no_recognizer', params: {} } as const] : []),
    ...(recognizes && !isServed ? [{ code: 'language_not_recognised', params: {} } as const] : []),
    ...(isTranslating(means) && translator === null ? [untranslated()] : []),
    ...(translates && translator?.serves?.(from ?? to, to) === false ? [untranslated()] : []),
  ];
}

/** The settings that give permissions, and the confirmation that their change needs. */
function useOf(missing: readonly MissingPermission[], permitted: readonly string[]) {
  const servers = missing.flatMap((each) => (each.setting === 'permit-server' ? [each.server] : []));
  const use: CaptionMethodRow['use'] = {};
  for (const { setting } of missing) {
    // The setting holds all of its servers: those that are permitted stay so.
    const addresses = [...new Set([...permitted, ...servers.map(({ baseUrl }) => baseUrl)])];
    use[setting] = setting === 'permit-server' ? addresses : true;
  }
  const areHere = servers.every(({ isLocal }) => isLocal);
  const confirmation: CaptionMethodRow['confirmation'] =
    servers.length === 0 ? null : areHere ? 'sent_to_a_server_on_this_machine' : 'leaves_this_machine_and_may_cost';
  return { permissions: [...new Set(missing.map(({ setting }) => setting))], use, confirmation };
}

const sendingTo = (what: 'sound' | 'text', { baseUrl, isLocal }: AskedServer): CaptionMethodRow['sends'][number] => ({
  what,
  server: baseUrl,
  isOnThisMachine: isLocal,
  mayCost: !isLocal,
});

function rowOf(
  method: CaptionMethod,
  prospect: MethodProspect,
  film: CaptionedFilm,
  engines: MethodEngines,
): CaptionMethodRow {
  const { absence, recognizes, translates } = prospect;
  const { recognizer, translator, permissions } = engines;
  if (absence !== null && !recognizes) {
    return { ...nothingOf(method), state: 'impossible', obstacles: [absence] };
  }
  const lacking = engineObstacles(captionMeans[method], prospect, film, engines);
  const missing = [...(recognizes ? missingForRecognition(engines) : []), ...missingForMethod(method, engines)];
  const sends = [
    ...(recognizes && recognizer?.provider !== undefined ? [sendingTo('sound', recognizer.provider)] : []),
    ...(translates && translator?.provider !== undefined ? [sendingTo('text', translator.provider)] : []),
  ];
  const needsStudy = recognizes && film.isStudied;
  return {
    method,
    state:
      lacking.length > 0
        ? 'needs_engine'
        : needsStudy
          ? 'needs_study'
          : missing.length > 0
            ? 'needs_permission'
            : 'ready',
    ...useOf(missing, permissions.servers),
    recognition: recognizes && recognizer !== null ? { recognizer: recognizer.engine, language: null } : null,
    sends,
    recognizesMs: recognizes ? film.soundMs : 0,
    obstacles: [...(absence === null ? [] : [absence]), ...lacking],
  };
}

const nothingOf = (method: CaptionMethod): Omit<CaptionMethodRow, 'state' | 'obstacles'> => ({
  method,
  permissions: [],
  use: {},
  confirmation: null,
  recognition: null,
  sends: [],
  recognizesMs: 0,
});

const rowsOf = (rows: readonly CaptionMethodRow[]): CaptionMethodRows => ({
  chosen: rows.find(({ method, state }) => state === 'ready' && method !== 'deterministic-test')?.method ?? null,
  methods: [...rows],
});

/** Every method, the preferred ones first. */
const inOrder: readonly CaptionMethod[] = [...preferred, 'deterministic-test'];

/** The methods of a film or of a study that has captions by none, for this reason. */
export const noMethods = (cause: Cause): CaptionMethodRows =>
  rowsOf(inOrder.map((method) => ({ ...nothingOf(method), state: 'impossible', obstacles: [cause] })));

/**
 * The ways to captions of a film before its study, by what its tracks state. A track without a tag may have any language, so a
 * method that rests on it is possible.
 */
export function plannedMethods(
  film: PlannedFilm,
  engines: MethodEngines,
  allowance: CaptionAllowance,
): CaptionMethodRows {
  const { range, requested, targetLanguage: to, source } = film;
  const [from = null] = requested.mode === 'declared' ? requested.languages : [];
  const hasSound = source.tracks.some(({ kind }) => kind === 'audio');
  const known: CaptionedFilm = {
    from,
    to,
    found: [...new Set(source.trackLanguages.map(({ language }) => language))],
    soundMs: range.endMs - range.startMs,
    isStudied: false,
  };
  const prospectOf = (means: CaptionMeans): MethodProspect => {
    const [obstacle] = plannedObstaclesOf({ ...film, unrecognized: null }, { ...means, allowance });
    const cause = obstacle?.cause ?? null;
    const isSpoken = isOfSpeech(means) && hasSound && !(means.subtitlesFirst === true && hasTrackPair(film));
    const isForeign = isOfSpeech(means) ? from === null || !areOneLanguage(from, to) : !hasTargetTrack(film);
    return {
      absence: cause && byMethod(cause),
      recognizes: cause === null && isSpoken,
      translates: cause === null && isTranslating(means) && isForeign,
    };
  };
  return rowsOf(inOrder.map((method) => rowOf(method, prospectOf(captionMeans[method]), known, engines)));
}

/** True if another study with the recognizer of the host may give the words that this one lacks. */
function mayRecognizeAgain(study: CaptionedStudy, cause: LinesCause, { recognizer }: MethodEngines): boolean {
  if (cause.code === 'not_recognised' || cause.code === 'recognition_not_asked') return true;
  if (cause.code === 'nothing_recognised') return cause.params.reason !== 'no_audio_in_range';
  if (cause.code !== 'no_line_passed') return false;
  // The same recognizer would give the same words. One that recognized no word at all may have been at fault.
  const engine = transcriptOf(study.findings)?.engine;
  return cause.params.lines === 0 || (recognizer !== null && recognizer.engine !== engine);
}

/** Milliseconds of detected speech that a recognizer would get. */
function speechMsOf({ run, findings }: CaptionedStudy, { recognizesTwice }: MethodEngines): number {
  const { range } = run.record.analysisRequest;
  const detected = findings.operations.flatMap(({ evidence }) => evidence);
  const [speech, silences] = (['speech_activity', 'silence'] as const).map(
    (kind) => detected.find(({ delivered }) => delivered.kind === kind)?.artifact,
  );
  if (speech == null || silences == null) return 0;
  const regions: Range[] = speechRegions(range, speech, silences);
  const again = recognizesTwice ? regions.map((region) => secondRegion(region, range)) : [];
  return totalLengthOf(regions) + totalLengthOf(again);
}

/** The ways to captions of a study that has ended, by its own lines. In steps: the lines of hours are cut for it. */
export function* studiedMethods(
  study: CaptionedStudy,
  engines: MethodEngines,
  allowance: CaptionAllowance,
): Steps<CaptionMethodRows> {
  const { sourceLanguage: from, targetLanguage: to } = captionInputOf(study);
  const soundMs = speechMsOf(study, engines);
  const found = [...new Set(studiedTracks(study.findings).flatMap(({ language }) => language ?? []))];
  const known: CaptionedFilm = { from, to, found, soundMs, isStudied: true };
  const rows: CaptionMethodRow[] = [];
  for (const method of inOrder) {
    const means: CaptionMeans = captionMeans[method];
    const ability = { ...means, allowance, isOfRequest: true };
    const { job, absence: lacking } = yield* captionProspectBySteps(study, 0, ability);
    // Words in the spoken language alone give no captions in another one.
    const isForeign = isOfSpeech(job) && !isTranslating(means) && !areOneLanguage(from, to);
    const absence: Cause | null =
      lacking !== null && isForeign ? { code: 'method_does_not_translate', params: { from, to } } : lacking;
    const recognizes =
      lacking !== null && !isForeign && isOfSpeech(job) && soundMs > 0 && mayRecognizeAgain(study, lacking, engines);
    const translates = recognizes
      ? isTranslating(means) && !areOneLanguage(from, to)
      : (yield* translatableText(study, job.classification)) !== null;
    rows.push(rowOf(method, { absence, recognizes, translates }, known, engines));
    yield;
  }
  return rowsOf(rows);
}
