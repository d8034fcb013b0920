import { isEngineFailure } from '../../contract/causes/engine-failures.ts';
import { causesText } from '../../contract/causes/wording.ts';
import { exportNames } from '../../contract/exports.ts';
import type { Finding, OverviewAction, OverviewClaim, RuntimeOverview } from '../../contract/overview.ts';
import { isCanceled } from '../../contract/study/cancellation.ts';
import type { PlanWarning } from '../../contract/study/start.ts';
import { countText, estimateText, timeCode } from '../../formats/readable-numbers.ts';
import { kindNamed } from '../../kinds/kinds.ts';
import { reasonsText } from '../../receipts/overview/found.ts';
import { asTyped, terminalSpelling, terminalText } from './call.ts';
import { englishName } from './language-tag.ts';

/** Reasons in words, with their codes in brackets. */
export const namedReasons = (codes: readonly string[]): string => `${reasonsText(codes)} (${codes.join(', ')})`;

/** The line for captions that the check withheld. */
export const withheldLine = (runtimeId: string, reasonCodes: readonly string[]): string =>
  `the captions are withheld: ${namedReasons(reasonCodes)}; ${asTyped(`evidence ${runtimeId}`)} lists the next steps`;

/** A warning before a study as a line. */
export const warningLine = (warning: PlanWarning): string =>
  warning.code === 'speech_will_be_recognised'
    ? `Recognizing the speech with ${warning.engine} ${warning.atMostMs < 60_000 ? 'takes' : 'may take up to'} ${estimateText(warning.atMostMs)}.`
    : `warning: ${warning.text} (${warning.code})`;

/** True if a part of a study is missing because no spoken language was declared. */
const lacksLanguage = ({ findings, captions, study, lifecycle }: RuntimeOverview): boolean =>
  study.sourceLanguage.languages.length === 0 &&
  (findings.some(({ cause }) => cause?.code === 'language_not_declared') ||
    (captions.state === 'never' && lifecycle === 'terminal'));

/** The command that sends the request of a study once more; null for words of its language that no flag has. */
function studyAgain(overview: RuntimeOverview): string | null {
  const { source, study } = overview;
  const needsLanguage = lacksLanguage(overview);
  const { range, sourceLanguage, targetLanguage, outputDepth } = study;
  if (sourceLanguage.mode !== 'declared' && sourceLanguage.mode !== 'automatic') return null;
  const isWhole = range.startMs === 0 && range.endMs === source.durationMs;
  return [
    `study ${source.sourceSessionId}`,
    ...(isWhole ? [] : [`--from ${timeCode(range.startMs)} --to ${timeCode(range.endMs)}`]),
    ...(needsLanguage ? ['--language TAG'] : sourceLanguage.languages.map((tag) => `--language ${tag}`)),
    ...(targetLanguage === 'en' ? [] : [`--target-language ${targetLanguage}`]),
    ...(outputDepth === 'captions' ? ['--captions'] : []),
    '--again NAME',
  ].join(' ');
}

/** The commands for what may be done next; the rest is done in the console or over HTTP. */
const commands: Readonly<Partial<Record<OverviewAction['action'], (overview: RuntimeOverview) => string | null>>> = {
  approve: ({ runtimeId }) => `review approve ${runtimeId}`,
  reject: ({ runtimeId }) => `review reject ${runtimeId} --reason CODE`,
  revoke: ({ runtimeId }) => `review revoke ${runtimeId} --reason CODE`,
  produce_captions: ({ runtimeId }) => `captions ${runtimeId} --produce`,
  read_captions: ({ runtimeId }) => `captions ${runtimeId}`,
  study_again: studyAgain,
  follow: ({ runtimeId }) => `watch ${runtimeId}`,
};

/** The command of an action as the person types it; its name if there is none. */
function commandFor(action: OverviewAction['action'], overview: RuntimeOverview): string {
  const words = commands[action]?.(overview) ?? null;
  return words === null ? action : asTyped(words);
}

const claimed = {
  speech_activity: 'Speech',
  transcript: 'Recognized words',
  screen_text: 'Text on the screen',
} as const;

/** The speech of a claim in a language; null if that was not identified. */
const spokenIn = (language: string | null): string =>
  language === null ? 'Speech in a language that was not identified' : `Speech in ${englishName(language)}`;

/** A claim of a study, in the words of a person who makes films. */
function claimLine({ kind, value, windows, totalMs }: OverviewClaim): string {
  const what = kind === 'language_identity' ? spokenIn(value) : claimed[kind];
  return `${what}: ${countText(windows, 'passage')}, ${(totalMs / 1000).toFixed(1)} s in total`;
}

/** The findings of a kind as a line, with what makes a missing one possible. */
function findingLine(finding: Finding): string {
  const { kind, state, title, text, cause } = finding;
  const plain = state === 'available' ? (kindNamed(kind)?.terminal?.words?.(finding) ?? null) : null;
  if (plain !== null) return plain;
  const remedy = cause === null ? null : terminalText(cause).remedy;
  return `${title}: ${text}${remedy === null ? '' : `; ${remedy}`}`;
}

/** True if the summary of a whole study has a line of it: of some kinds one that nothing was found would be too much. */
const isWorthALine = ({ kind, placeCount }: Finding): boolean =>
  placeCount > 0 || kindNamed(kind)?.terminal?.onlyIfFound !== true;

/** Causes why a host makes no captions by itself, though a method may give some. */
const withoutMethod: readonly string[] = ['no_caption_executor', 'subtitles_give_captions'];

/** The command that makes captions by a method, for a study of which the host by itself makes none; else null. */
export function captioning({ source, study, captions }: RuntimeOverview): string | null {
  if (!captions.causes.some(({ code }) => withoutMethod.includes(code))) return null;
  const spoken = study.sourceLanguage.languages.map((tag) => `--from ${tag}`);
  return asTyped(['caption', source.sourceSessionId, ...spoken, '--to', study.targetLanguage].join(' '));
}

/** Why no captions can come of a study on this host, with what changes it; null if some can, or are there. */
export function noCaptionsLine(overview: RuntimeOverview): string | null {
  const { captions, lifecycle } = overview;
  if (captions.state !== 'never' || lifecycle !== 'terminal') return null;
  const command = captioning(overview);
  if (command !== null) return `captions: ${command} makes them, or names what they need`;
  return `no captions: ${causesText(captions.causes, 'terminal', terminalSpelling)}`;
}

/** The line of one possible next step; null if it is not possible now. */
export function nextLine(overview: RuntimeOverview, action: OverviewAction['action']): string | null {
  const possible = overview.actions.find((each) => each.action === action);
  return possible === undefined ? null : `next: ${possible.text} (${commandFor(action, overview)})`;
}

/** The next step for captions that are there: a file beside the film. */
export const captionsFileLine = ({ runtimeId, study }: Pick<RuntimeOverview, 'runtimeId' | 'study'>): string =>
  `next: write the captions to a file (${asTyped(`export ${runtimeId} captions.srt --output captions.${study.targetLanguage}.srt`)})`;

/** The passages of a film whose speech was not recognized, a line each, with what changes it. */
export const unrecognizedLines = ({ withheld }: RuntimeOverview): string[] =>
  withheld.flatMap(({ text, reasonCode, cause }) =>
    reasonCode === 'recognition_failed' && cause !== null && isEngineFailure(cause.code)
      ? [[text, terminalText(cause).remedy ?? []].flat().join('; ')]
      : [],
  );

/** The possible next steps, a line each; that of an approval shows if captions can follow. */
function nextLines(overview: RuntimeOverview): string[] {
  const obstacle = noCaptionsLine(overview);
  const isHopeless = obstacle !== null && captioning(overview) === null;
  const saying = ({ action, text }: OverviewAction): string =>
    action === 'approve' && isHopeless ? 'approve the study; no captions will follow' : text;
  return [
    ...(obstacle === null ? [] : [obstacle]),
    ...overview.actions.map((each) => `next: ${saying(each)} (${commandFor(each.action, overview)})`),
    ...(overview.actions.some(({ action }) => action === 'read_captions') ? [captionsFileLine(overview)] : []),
  ];
}

/** True if the line of a finding already shows the withheld part with its reason: a kind of evidence that is missing. */
const isShownBy =
  ({ what, reasonCode }: RuntimeOverview['withheld'][number]) =>
  (finding: Finding): boolean =>
    finding.title === what && finding.reasonCode === reasonCode;

/** The state of a study, as the first line of its summary. */
function stateLine({ runtimeId, lifecycle, study }: RuntimeOverview): string {
  const state = isCanceled(study.reason) ? 'canceled' : lifecycle === 'terminal' ? 'finished' : lifecycle;
  return `Study ${state} (id ${runtimeId})`;
}

/** The work that waits, and for whom. Captions that nothing was compared with are written, and not accepted. */
function situationText({ situation, review }: RuntimeOverview): string {
  if (situation.code !== 'captions_accepted') return situation.text;
  if (review.plan == null) return 'captions written; they were approved without a plan';
  return review.plan.compared === 'none' ? 'captions written; nothing was compared with the film' : 'captions ready';
}

/** A note that captions, or their study, are of an earlier version, with the command that makes them again; none for others. */
export const olderCaptionsNotes = ({ captions, check, source, study }: RuntimeOverview): readonly string[] =>
  [...captions.causes, ...check.causes].flatMap((cause) => {
    if (cause.code !== 'captions_of_older_rules') return [];
    const { what } = terminalText(cause);
    const spoken = study.sourceLanguage.languages.map((tag) => `--from ${tag}`);
    const words = ['caption', source.sourceSessionId, ...spoken, `--to ${study.targetLanguage}`, '--again'].join(' ');
    return [`${what.charAt(0).toUpperCase()}${what.slice(1)}. To make them again: ${asTyped(words)}`];
  });

/** The notes that a person has to see at captions: their approval has no plan, or older rules made them. */
export const captionNotes = (overview: RuntimeOverview): readonly string[] => [
  ...(overview.review.causes.some(({ code }) => code === 'approved_without_plan')
    ? ['These captions were approved without a plan: what they leave out was not shown.']
    : []),
  ...olderCaptionsNotes(overview),
];

/** The summary of a study for a person, a line each, in the words of the host. With a kind, that evidence alone. */
export function summaryLines(overview: RuntimeOverview, kind?: string): string[] {
  const { study, findings, claims, withheld } = overview;
  const found = findings.filter((finding) => (kind === undefined ? isWorthALine(finding) : finding.kind === kind));
  return [
    stateLine(overview),
    `Studied: ${study.text}`,
    ...found.map(findingLine),
    ...(kind === undefined
      ? [
          // The passages of speech have a line of their own.
          ...claims.filter(({ kind: of }) => of !== 'speech_activity').map(claimLine),
          ...withheld.filter((each) => !findings.some(isShownBy(each))).map(({ text }) => `Missing: ${text}`),
          `status: ${situationText(overview)}`,
          ...captionNotes(overview),
          ...nextLines(overview),
        ]
      : []),
  ];
}

// Captions come after a review. Text on the screen is shown only on request.
const laterExports = /^(captions|screen-text)\./;

/** The paths of the files of a study that has just ended: for the next command, and for a program. */
export function exportsLine({ runtimeId, findings }: RuntimeOverview): string {
  const isRecognized = findings.some(({ kind }) => kind === 'transcript');
  const names = exportNames.filter(
    (name) => !laterExports.test(name) && (isRecognized || !name.startsWith('transcript.')),
  );
  const path = `/v1/runtimes/${runtimeId}/exports/NAME`;
  return `exports: ${asTyped(`export ${runtimeId} NAME`)}, or ${path}; NAME is one of bundle, ${names.join(', ')}`;
}
