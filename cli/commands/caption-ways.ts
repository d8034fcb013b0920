import { HostError } from '../../client/host-error.ts';
import { type EngineUse, joinedUses } from '../../client/settings.ts';
import type { StudyRequest } from '../../client/studies.ts';
import { messageOf } from '../../contract/base/errors.ts';
import {
  type CaptionMethod,
  type CaptionMethodRow,
  type CaptionMethodRows,
  captionMethods,
} from '../../contract/captions/caption-method.ts';
import { longestCaptions } from '../../contract/captions/caption-production.ts';
import { type Cause, isTextCause, type TextCause } from '../../contract/causes/causes.ts';
import { type CauseText, causeText } from '../../contract/causes/wording.ts';
import { isForDrafts, serves } from '../../contract/served-languages.ts';
import type { FoundEngine, HostSetting } from '../../contract/settings.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { ollama } from '../../executors/model-server/found-servers.ts';
import type { ObtainableEngine } from '../../features/feature.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { ruleSets } from '../../rules/rule-sets.ts';
import { shellPath } from '../../storage/objects/data-root.ts';
import { asTyped, type CommandCall, terminalSpelling, terminalText, WrongCall } from '../terminal/call.ts';
import { englishName } from '../terminal/language-tag.ts';
import { isAgreed } from '../terminal/question.ts';
import { obtainableRecognizer } from './caption-engine.ts';

/** The film of a call, and the captions that are wanted of it. */
export interface WantedCaptions {
  /** The film as the call names it. */
  readonly film: string;
  readonly source: SourceSessionRow;
  readonly request: StudyRequest & { readonly range: { readonly startMs: number; readonly endMs: number } };
  readonly spoken: string;
  /** The languages whose text a subtitle file would bring: those that no track has. */
  readonly lacking: readonly string[];
  /** The words of the speech are needed, also of a film with subtitles. `failure` begins the message if no way is open. */
  readonly ofSpeech?: { readonly failure: string };
}

/** Settings that open a way, and what they mean, as sentences for the person who decides. */
interface Offer extends EngineUse {
  readonly sentences: readonly string[];
  /** An engine that is got before the settings are changed. */
  readonly engine?: ObtainableEngine;
  /** The offer for a person who does not want that engine. */
  readonly otherwise?: Offer | null;
}

/** The ways to captions of a film, and the offer to raise a limit if the host does not study films of this length. */
interface Ways {
  readonly rows: CaptionMethodRows;
  readonly limit: Offer | null;
  /** The method that was tried last, with what was in its way. */
  readonly tried?: CaptionMethodRow | undefined;
}

const limitName = 'maximum-study-range-ms';

const settingsOf = async ({ host }: Pick<CommandCall, 'host'>): Promise<ReadonlyMap<string, HostSetting>> =>
  new Map((await host.settings.read()).settings.map((setting) => [setting.name, setting]));

/** The ways to captions of a film. */
async function plannedWays(call: CommandCall, { source, request, ofSpeech }: WantedCaptions): Promise<Ways> {
  const read = async (asked: StudyRequest): Promise<CaptionMethodRows> => {
    const { captionMethods: rows } = await call.host.warnings(source, asked);
    return ofSpeech === undefined ? rows : { ...rows, methods: rows.methods.filter(isOfWords) };
  };
  try {
    return { rows: await read(request), limit: null };
  } catch (error) {
    const isTooLong = error instanceof HostError && error.code === 'study_range_too_large';
    if (!isTooLong || source.durationMs > longestCaptions.maxDurationMs) throw error;
    const limit = (await settingsOf(call)).get(limitName);
    const mostMs = Number(limit?.value ?? limit?.preset);
    const [length, most, raised] = [source.durationMs, mostMs, longestCaptions.maxDurationMs].map(timeCode);
    const sentence = `The film has ${length}, and this host studies at most ${most} at once. The limit is raised to ${raised}.`;
    return {
      rows: await read({ ...request, range: { startMs: 0, endMs: mostMs } }),
      limit: { sentences: [sentence], use: { [limitName]: longestCaptions.maxDurationMs }, confirmation: null },
    };
  }
}

/** The methods that the host takes by itself: all but the test seam. */
const usual = ({ methods }: CaptionMethodRows): readonly CaptionMethodRow[] =>
  methods.filter(({ method }) => method !== 'deterministic-test');

/** The caption executor that a person gave the host which they started; null without one. Settings for another film are none. */
async function executorOf(call: CommandCall): Promise<CaptionMethod | null> {
  const row = (await settingsOf(call)).get('caption-executor');
  const isOfPerson = row?.source === 'option' || (row?.source === 'file' && !call.isOwnHost());
  return (isOfPerson && captionMethods.find((method) => method === row?.value)) || null;
}

/** The way that works now, or after a study: that of the executor of a person's host, or else the preferred one. */
async function openWay(call: CommandCall, rows: CaptionMethodRows): Promise<CaptionMethodRow | null> {
  const isOpen = ({ state, permissions }: CaptionMethodRow): boolean =>
    state === 'ready' || (state === 'needs_study' && permissions.length === 0);
  const executor = await executorOf(call);
  const chosen = rows.methods.find(({ method, state }) => method === executor && state === 'ready');
  return chosen ?? usual(rows).find(isOpen) ?? null;
}

const sent = { sound: 'sound of the speech', text: 'text of the captions' } as const;

/** The recognition on the machine of the host, as a sentence. There is none if sound is sent, and if the recognizer is still to be chosen. */
function recognitionSentences({ use, recognition, recognizesMs, sends }: CaptionMethodRow): readonly string[] {
  if (!('permit-recognition' in use) || sends.some(({ what }) => what === 'sound')) return [];
  if (recognition !== null)
    return [`${recognition.recognizer} recognizes the speech on the machine of the host, where it costs nothing.`];
  return recognizesMs === 0 ? ['The words that were recognized before become captions.'] : [];
}

/** The offer to permit a way. */
function permissionOffer(row: CaptionMethodRow): Offer {
  const { use, confirmation, sends } = row;
  return {
    sentences: [
      ...recognitionSentences(row),
      ...sends.map(({ what, server, isOnThisMachine }) => {
        const meaning = isOnThisMachine
          ? 'a server on this machine, which may pass it on'
          : 'outside this machine, where each request may cost money';
        return `The ${sent[what]} is sent to ${server}, ${meaning}.`;
      }),
    ],
    use,
    confirmation,
  };
}

type LackedKind = 'recognizer' | 'caption_translation';

/** The kinds of engines that a method lacks. */
const lackedEngines = ({ obstacles }: CaptionMethodRow): readonly LackedKind[] => {
  const codes = obstacles.map(({ code }) => code);
  return [
    ...(codes.includes('no_recognizer') || codes.includes('language_not_recognised') ? (['recognizer'] as const) : []),
    ...(codes.includes('no_translator') ? (['caption_translation'] as const) : []),
  ];
};

/** The offer to use an engine of this machine. */
const engineOffer = ({ text, models, use, confirmation }: FoundEngine): Offer => ({
  sentences: [models[0] === undefined ? text : `${text} Its model ${models[0]} is used.`],
  use,
  confirmation,
});

/** Several offers as one. */
const together = (offers: readonly Offer[]): Offer => ({
  sentences: offers.flatMap(({ sentences }) => sentences),
  ...joinedUses(offers),
});

/** The offer that opens a way: a permission, or else engines of the machine of the host. Null if there is neither. */
async function offerOf(call: CommandCall, rows: CaptionMethodRows, wanted: WantedCaptions): Promise<Offer | null> {
  const permitted = usual(rows).find(
    ({ state, permissions }) => state === 'needs_permission' || (state === 'needs_study' && permissions.length > 0),
  );
  if (permitted !== undefined) return permissionOffer(permitted);
  const lacking = usual(rows).filter(({ state }) => state === 'needs_engine');
  if (lacking.length === 0) return null;
  const { engines } = await call.host.settings.engines();
  const language = baseLanguage(wanted.spoken) ?? '';
  const foundOf = (kind: LackedKind): FoundEngine | undefined =>
    engines.find(
      ({ engine, state, name, use }) =>
        // Without settings that use it, an engine has a command of its own: one of its pairs or models has to be chosen.
        engine === kind && state === 'found' && Object.keys(use).length > 0 && serves(name, language),
    );
  for (const row of lacking) {
    const kinds = lackedEngines(row);
    // The engine that is offered takes the place of the recognizer of the row.
    const rest = kinds.includes('recognizer') ? { ...row, recognition: null } : row;
    const permission = row.permissions.length === 0 ? [] : [permissionOffer(rest)];
    const found = new Map(kinds.flatMap((kind) => [[kind, foundOf(kind)] as const]));
    const offersOf = (of: readonly LackedKind[]): Offer | null => {
      const offered = of.map((kind) => found.get(kind));
      return offered.includes(undefined)
        ? null
        : together([
            ...permission,
            ...offered.flatMap((engine) => (engine === undefined ? [] : [engineOffer(engine)])),
          ]);
    };
    const offer = kinds.length === 0 ? null : offersOf(kinds);
    const recognizer = found.get('recognizer');
    const isGot = kinds.includes('recognizer') && (recognizer === undefined || isForDrafts(recognizer.name));
    const others = isGot ? offersOf(kinds.filter((kind) => kind !== 'recognizer')) : null;
    const engine =
      others === null ? null : await obtainableRecognizer(call, { language, filmMs: wanted.source.durationMs });
    if (engine !== null && others !== null) {
      // A recognizer that a person adds is permitted by that.
      const { 'permit-recognition': _, ...use } = others.use;
      const sentences = [...engine.sentences, ...others.sentences];
      return { ...others, use, sentences, engine, otherwise: offer };
    }
    if (offer !== null) return offer;
  }
  return null;
}

/** The settings of an offer as the words of a command. */
export const settingWords = (use: EngineUse['use']): string =>
  Object.entries(use)
    .flatMap(([name, value]) => [value].flat().map((each) => shellPath(`${name}=${each}`)))
    .join(' ');

/** True if the command asks a person at the terminal before it changes a setting. */
const isAsked = ({ terminal, given }: CommandCall): boolean =>
  terminal.isInteractive && !terminal.json && !given.has('attest');

/** True if a way makes captions of speech. */
const isOfSpeech = ({ method }: CaptionMethodRow): boolean =>
  method.startsWith('recognized') || method.endsWith('recognized');

/** True if a method shows the words of the speech, and nothing else. */
const isOfWords = ({ method }: CaptionMethodRow): boolean => method === 'recognized';

/** The question of an offer. */
function questionOf({ engine, use }: Offer): string {
  if (engine !== undefined) return engine.isFetched ? 'Fetch it, and use it for captions' : 'Use it for captions';
  return Object.keys(use).every((name) => name === limitName) ? 'Raise it' : 'Use it for captions';
}

/**
 * Asks the person at the terminal, once, and has the host take and remember the answer. Before that it gets the engine of the offer.
 * False without a person, and for another answer. If the engine cannot be got, it asks for the one that is here; without one it throws.
 */
async function isTaken(call: CommandCall, offer: Offer): Promise<boolean> {
  const { terminal, host, signal } = call;
  if (!isAsked(call)) return false;
  const { sentences, engine, otherwise = null, use, confirmation } = offer;
  const agreed = async (): Promise<boolean> => {
    for (const sentence of sentences) terminal.remark(sentence);
    const isYes = await isAgreed(terminal, `${questionOf(offer)}, now and from now on?`);
    if (!isYes) return false;
    try {
      await engine?.get(signal);
      return true;
    } catch (error) {
      // What was fetched stays. Without a network, the other engine still makes captions.
      if (otherwise === null || signal.aborted) throw error;
      terminal.remark(`${messageOf(error)}. Another engine is on this machine:`);
      return false;
    }
  };
  const shared = engine === undefined ? undefined : call.engine;
  if (!(await (shared === undefined ? agreed() : shared.by('', agreed))))
    return otherwise !== null && isTaken(call, otherwise);
  if (Object.keys(use).length > 0) await host.settings.change({ set: use, confirmation });
  terminal.remark(`Saved. To see or change it: ${asTyped('settings')}`);
  return true;
}

/** Settings for engines that are not on the machine; a person fills in the words in capitals. */
const engineSettings = {
  recognizer: {
    name: 'a recognizer',
    use: { 'semantic-recognizer': 'whisper-cli', 'semantic-recognizer-model': 'FILE', 'permit-recognition': true },
  },
  caption_translation: {
    name: 'a model that translates',
    use: { 'model-server': ollama, 'caption-translation-model': 'MODEL', 'permit-server': [ollama] },
  },
} as const;

/** A cause in words for a person with a film: as the page has it, with the remedy of the terminal. */
const filmText = (cause: Cause): Pick<CauseText, 'what' | 'remedy'> => ({
  what: causeText(cause, 'page', { ...terminalSpelling, language: englishName, length: timeCode }).what,
  remedy: terminalText(cause).remedy,
});

/** A cause of a method. What an engine failed by is the cause that counts, and the next call tries it again. */
function causeWords(cause: Cause): string {
  if (cause.code === 'no_line_passed' && cause.params.lines === 0)
    return `${filmText(cause).what}; correct the recognizer, or use another one, then run this command again`;
  if (cause.code !== 'nothing_recognised') return filmText(cause).what;
  const { what, remedy } = filmText(cause.params.cause ?? cause);
  return [
    what,
    ...(remedy === null || cause.params.cause === undefined ? [] : [remedy]),
    'then run this command again',
  ].join('; ');
}

/** Why the subtitles of a film give no text, though it has some; undefined if it has none, or if they do. */
const subtitleCause = (rows: CaptionMethodRows): TextCause | undefined =>
  usual(rows)
    .flatMap(({ obstacles }) => obstacles)
    .find(isTextCause);

const hasNoSubtitles = ({ methods }: CaptionMethodRows): boolean =>
  methods.some(({ obstacles }) => obstacles.some(({ code }) => code === 'no_text_tracks'));

/** Why a film gets no captions, by the method that is nearest to some. */
function reasonOf(nearest: CaptionMethodRow | undefined, rows: CaptionMethodRows): string {
  if (nearest === undefined) return 'the host names no way to captions';
  const isSilent = rows.methods.some(({ obstacles }) => obstacles.some(({ code }) => code === 'no_audio_track'));
  if (isSilent && hasNoSubtitles(rows)) return 'it has no sound, and no subtitles as text';
  const lacked = lackedEngines(nearest).map((kind) => `${engineSettings[kind].name} is not set`);
  const causes = nearest.obstacles.filter(({ code }) => code !== 'no_recognizer' && code !== 'no_translator');
  const said = causes.map(causeWords);
  if (lacked.length === 0) return said.join('; ');
  const cause = subtitleCause(rows);
  const other = rows.methods
    .flatMap(({ obstacles }) => obstacles)
    .find(({ code }) => code === 'no_text_track_in_language');
  const otherText = other === undefined ? 'its subtitles do not give them' : filmText(other).what;
  const subtitles = hasNoSubtitles(rows) ? 'it has no subtitles' : otherText;
  return [cause === undefined ? subtitles : causeWords(cause), ...lacked, ...said].join(', and ');
}

/** The ways that a person can open, in sentences with commands. */
function suggestedFixes(
  nearest: CaptionMethodRow | undefined,
  offer: Offer | null,
  lacking: readonly string[],
): string {
  const files = lacking.map((tag) => `--subtitles FILE:${tag}`).join(' ');
  const attach = files === '' ? [] : [`attach subtitles with ${files}`];
  const lacked = nearest === undefined ? [] : lackedEngines(nearest);
  const names = lacked.map((kind) => engineSettings[kind].name).join(' and ');
  const engine = offer?.engine;
  const otherwise = offer?.otherwise ?? null;
  const use = (otherwise ?? offer)?.use ?? Object.assign({}, ...lacked.map((kind) => engineSettings[kind].use));
  const verb = offer === null ? `set ${names}` : otherwise === null ? 'permit it' : 'use what is installed';
  const set = Object.keys(use).length === 0 ? [] : [`${verb}:\n  ${asTyped(`settings set ${settingWords(use)}`)}`];
  const add = engine === undefined ? [] : [`get the engine:\n  ${asTyped(engine.command)}`];
  const said = [...attach, ...add, ...set].join(', or ');
  return said === '' ? '' : `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

/** The failure of a film without a way to captions: why, and every way that a person can open. */
function noWay({ rows, tried }: Ways, offer: Offer | null, wanted: WantedCaptions): WrongCall {
  const states = ['needs_permission', 'needs_engine', 'impossible'] as const;
  const [nearest] = states.flatMap((wantedState) => usual(rows).filter(({ state }) => state === wantedState));
  const isLacking = offer === null || offer.engine !== undefined;
  const permission = isLacking ? [] : [`this takes a permission. ${offer.sentences.join(' ')}`];
  const cause = subtitleCause(rows);
  const known = cause === undefined ? [] : [causeWords(cause)];
  // Before the study, the tag of these subtitles was believed.
  const found = cause?.code === 'subtitles_of_other_language' ? [cause.params.asked] : [];
  const lacking = [...new Set([...wanted.lacking, ...found])];
  const because = tried !== undefined || isLacking ? [reasonOf(tried ?? nearest, rows)] : known;
  const reason = [...because, ...permission].join('; ').replace(/\.$/, '');
  const engine = offer?.engine === undefined ? '' : offer.sentences.join(' ').replace(/\.$/, '');
  return new WrongCall(
    [
      `${wanted.ofSpeech?.failure ?? `no captions can be made of ${wanted.film}`}: ${reason}`,
      engine,
      suggestedFixes(nearest, offer, lacking),
    ]
      .filter((part) => part !== '')
      .join('. '),
  );
}

/**
 * The way to captions that works now, or after a study. It asks the person at the terminal once for a permission or a higher limit, or
 * to use an engine of this machine. Throws `WrongCall` with every other way if none is open.
 */
async function askedWay(
  call: CommandCall,
  wanted: WantedCaptions,
  ways: Ways,
  readAgain: () => Promise<Ways>,
): Promise<CaptionMethodRow> {
  const { rows, limit } = ways;
  const open = await openWay(call, rows);
  const cause = subtitleCause(rows);
  // The obstacle of the subtitles comes before the question about the recognizer, and before its work.
  const wasSaid = ways.tried !== undefined && isOfSpeech(ways.tried);
  const isSaid = cause !== undefined && !wasSaid && (open === null ? isAsked(call) : isOfSpeech(open));
  if (isSaid) call.terminal.remark(filmText(cause).what);
  if (open !== null && limit === null) return open;
  const offered = open === null ? await offerOf(call, rows, wanted) : null;
  if (open === null && offered === null) throw noWay(ways, null, wanted);
  const offer = { ...offered, ...together([limit ?? [], offered ?? []].flat()) };
  if (!(await isTaken(call, offer))) {
    // What a person has just read about an engine is not said again.
    const refused = offer.engine !== undefined && isAsked(call) ? { ...offer, sentences: [] } : offer;
    // Subtitles would shorten no film.
    throw noWay(ways, refused, open === null ? wanted : { ...wanted, lacking: [] });
  }
  const now = await readAgain();
  const way = now.limit === null ? await openWay(call, now.rows) : null;
  if (way === null) throw noWay(now, null, wanted);
  return way;
}

/** The way to captions of a film before its study. Throws as `askedWay`, and the refusals of the host. */
export async function plannedWay(call: CommandCall, wanted: WantedCaptions): Promise<CaptionMethodRow> {
  return askedWay(call, wanted, await plannedWays(call, wanted), () => plannedWays(call, wanted));
}

/** A study that has ended, and the methods of this call that turned out to give no captions of it. */
interface TriedStudy {
  readonly runtimeId: string;
  readonly tried: readonly CaptionMethodRow[];
}

/** The ways to captions of a study, without those that were tried. */
async function studiedWays({ host }: CommandCall, { runtimeId, tried }: TriedStudy): Promise<Ways> {
  const { chosen, methods } = await host.captions.methods(runtimeId);
  // To ask for recognition again is up to the next call.
  const isRecognized = tried.some(({ recognition }) => recognition !== null);
  const isTried = ({ method, recognition }: CaptionMethodRow): boolean =>
    tried.some((each) => each.method === method) || (isRecognized && recognition !== null);
  return {
    rows: { chosen, methods: methods.map((row) => (isTried(row) ? { ...row, state: 'impossible' } : row)) },
    limit: null,
    tried: methods.find(({ method }) => method === tried.at(-1)?.method),
  };
}

/** Another way to captions of a study whose first ones gave none. Throws as `askedWay`. */
export async function otherWay(
  call: CommandCall,
  wanted: WantedCaptions,
  study: TriedStudy,
): Promise<CaptionMethodRow> {
  const read = () => studiedWays(call, study);
  return askedWay(call, wanted, await read(), read);
}

/** The settings that tell engines of a kind apart, beside the servers that get something. */
const identifying = {
  recognizer: [
    ...(['semantic-recognizer', 'semantic-recognizer-model', 'semantic-recognizer-response-format'] as const),
    'semantic-recognizer-second-run',
  ],
  caption_translation: ['caption-translation-model', 'caption-translation-asked-once'],
} as const;

/**
 * The name of an attempt at a study that engines work for. The same request, engines and attempt have the same name, so that a call that
 * succeeded finds its study. After a failure, and with another engine, there is a new study; its host has kept what was recognized.
 */
export async function attemptNames(
  call: CommandCall,
  { request, source }: WantedCaptions,
  { recognition, sends }: CaptionMethodRow,
): Promise<(attempt: number) => string> {
  const settings = await settingsOf(call);
  const names = [
    ...(recognition === null ? [] : identifying.recognizer),
    ...(sends.some(({ what }) => what === 'text') ? identifying.caption_translation : []),
  ];
  const engine = {
    settings: names.map((name) => settings.get(name)?.value ?? null),
    servers: sends.map(({ server }) => server),
  };
  // By the same rules, captions that are made again would be the same: the second call finds the study of the first.
  const again = call.given.has('again') ? { again: ruleSets.captions.version } : {};
  const asked = { request, revision: source.sourceRevisionId, recognition, engine, ...again };
  return (attempt) => `captions:${hashOf({ ...asked, attempt }).slice(0, 32)}`;
}
