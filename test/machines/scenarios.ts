import type { AnyEventObject, AnyStateMachine } from 'xstate';
import { ExplanationFailure, explanationFailureOf } from '../../contract/explanations/explanation.ts';
import {
  type CaptionProductionContext,
  type CaptionProductionInput,
  captionProductionMachine,
} from '../../machines/caption-production.ts';
import {
  type LanguageExplanationContext,
  type LanguageExplanationInput,
  languageExplanationMachine,
} from '../../machines/language-explanation.ts';
import { type OwnedIngestContext, ownedIngestMachine } from '../../machines/owned-ingest.ts';
import { studyMachine } from '../../machines/study.ts';
import type { StudyContext } from '../../machines/study-types.ts';
import { type VideohostIngestContext, videohostIngestMachine } from '../../machines/videohost-ingest.ts';

/** The input of an effect, and its possible ends: values to resolve with and errors to reject with. */
export interface EffectPlan {
  readonly input: unknown;
  readonly outputs: readonly unknown[];
  readonly errors: readonly unknown[];
}

/** `dueAt` is given the time at which the effect starts; both in ms. */
export interface TimerPlan {
  readonly input: unknown;
  readonly event: AnyEventObject;
  dueAt(now: number): number;
}

/** A machine with everything that can happen to it. */
export interface Scenario {
  readonly machine: AnyStateMachine;
  readonly input: unknown;
  /** Effects that end, by the name under which the machine invokes them. */
  readonly effects: Readonly<Record<string, EffectPlan>>;
  /** Effects that send one event when their time is over, by the name under which the machine invokes them. */
  readonly timers: Readonly<Record<string, TimerPlan>>;
  /** Events from outside the machine. */
  readonly outside: readonly AnyEventObject[];
  /** The difference between two snapshots with the same state value. */
  distinguish(context: unknown): unknown;
}

/** The expected result of a path, worked out from its events alone. */
export interface Ending {
  readonly value: string;
  readonly context: unknown;
  readonly emissions: readonly unknown[];
}

export interface Lifecycle {
  readonly scenario: Scenario;
  endingOf(events: readonly AnyEventObject[]): Ending;
}

const hex = (digit: string) => digit.repeat(64);

/** Changes that a step leaves to commit. */
export const outcome = (step: string) => ({
  events: [{ producer: { kind: 'tool', id: step }, causationId: null, correlationId: null, type: step, data: {} }],
  writes: [{ put: 'record', key: step, value: { step } }],
});

const commit = ({ events, writes }: ReturnType<typeof outcome>) => ({ type: 'commit', events, writes });

const exhausted = { type: 'supervision.exhausted', message: 'it crashed again and again' };
const damaged = { type: 'content.damaged', message: 'the journal is damaged' };

const captionInput: CaptionProductionInput = {
  runtimeId: 'runtime:one',
  jobId: `caption-production:${hex('1')}`,
  approval: {
    reviewId: `publish-review:${hex('2')}`,
    artifactId: `artifact:${hex('3')}`,
    receiptId: `publish-review-decision-receipt:${hex('4')}`,
    receiptContentId: `sha256:${hex('5')}`,
  },
  attempt: 0,
  classification: 'embedded_subtitle_tracks',
};

const captions = outcome('captions');
const check = outcome('check');

const captionScenario: Scenario = {
  machine: captionProductionMachine,
  input: captionInput,
  effects: {
    produceCaptions: { input: captionInput, outputs: [captions], errors: [new Error('too_large: 65 lines')] },
    checkCaptions: { input: captionInput, outputs: [check], errors: [new Error('internal: no space')] },
  },
  timers: {},
  outside: [{ type: 'authority.revoked' }, { type: 'production.cut' }, { type: 'quality.check' }, exhausted, damaged],
  distinguish: (context) => (context as CaptionProductionContext).failure,
};

const captionReasons: Readonly<
  Record<string, (event: AnyEventObject, code: string) => { code: string; message: string }>
> = {
  'authority.revoked': (_, code) => ({ code, message: 'revoked: the approval was withdrawn' }),
  'production.cut': (_, code) => ({ code, message: 'interrupted: the attempt was cut short' }),
  'content.damaged': ({ message }) => ({ code: 'stored_content_inconsistent', message }),
};

const captionFailureOf = (event: AnyEventObject, code: string, interrupted: string) => {
  if (event.type === 'supervision.exhausted') return { code, message: `${interrupted}${event.message}` };
  return captionReasons[event.type]?.(event, code) ?? { code, message: (event.error as Error).message };
};

const captionEnding = (events: readonly AnyEventObject[]): Ending => {
  const emissions: unknown[] = [];
  let failure: CaptionProductionContext['failure'] = null;
  let value = 'producing';
  for (const event of events) {
    if (event.type === 'xstate.done.actor.produceCaptions') {
      emissions.push(commit(captions));
      value = 'checking';
    } else if (event.type === 'xstate.done.actor.checkCaptions') {
      emissions.push(commit(check));
      value = 'checked';
    } else if (event.type === 'quality.check') {
      value = 'checking';
    } else if (value === 'producing') {
      failure = captionFailureOf(event, 'caption_not_produced', 'interrupted: ');
      emissions.push({ type: 'production.failed', reason: failure });
      value = 'failed';
    } else {
      failure ??= captionFailureOf(event, 'caption_not_checked', '');
      value = 'unchecked';
    }
  }
  return { value, context: { ...captionInput, failure }, emissions };
};

const explanationInput: LanguageExplanationInput = {
  runtimeId: 'runtime:one',
  jobId: `language-explanation:${'1'.repeat(64)}`,
};

const explanation = outcome('one');

const explanationScenario: Scenario = {
  machine: languageExplanationMachine,
  input: explanationInput,
  effects: {
    explain: {
      input: explanationInput,
      outputs: [explanation],
      errors: [new ExplanationFailure('http_429', 'the provider refused the request'), new Error('the disk is gone')],
    },
  },
  timers: {},
  outside: [{ type: 'authority.revoked' }, { type: 'explanation.cut' }, exhausted, damaged],
  distinguish: (context) => (context as LanguageExplanationContext).failure,
};

const explanationReasonOf = ({ type, message, error }: AnyEventObject) => {
  if (type === 'authority.revoked')
    return explanationFailureOf('revoked', 'the approval of the captions was withdrawn');
  if (type === 'explanation.cut') return explanationFailureOf('interrupted', 'the attempt was cut short');
  if (type === 'supervision.exhausted') return explanationFailureOf('interrupted', message);
  if (type === 'content.damaged') return explanationFailureOf('damaged', message);
  if (error instanceof ExplanationFailure) return error.reason;
  return explanationFailureOf('not_recorded', 'it could not be written down');
};

const explanationEnding = ([event]: readonly AnyEventObject[]): Ending => {
  if (event === undefined) throw new Error('no explanation ends by itself');
  if (event.type === 'xstate.done.actor.explain') {
    return {
      value: 'completed',
      context: { ...explanationInput, failure: null },
      emissions: [commit(explanation)],
    };
  }
  const failure = explanationReasonOf(event);
  return {
    value: 'failed',
    context: { ...explanationInput, failure },
    emissions: [{ type: 'explanation.failed', reason: failure }],
  };
};

const studyInput = { runtimeId: 'runtime:one', commandId: 'command:one' };
const budgetMs = 60_000;

const interruption = { lifecycle: 'interrupted', code: 'executor_interrupted', message: 'the host is stopping' };
const damage = { lifecycle: 'failed', code: 'stored_content_inconsistent', message: 'an object fails its hash' };
const studyErrors = [new Error('it went wrong'), interruption, damage];

const studyEffect = (...outputs: readonly unknown[]) => ({ input: studyInput, outputs, errors: studyErrors });

export const studyScenario: Scenario = {
  machine: studyMachine,
  input: studyInput,
  effects: {
    initialize: studyEffect(outcome('initialize')),
    detect: studyEffect(outcome('detect')),
    subtitles: studyEffect(
      { ...outcome('subtitles'), leadsTo: [] },
      { ...outcome('subtitles'), leadsTo: ['recognize'] },
      { ...outcome('subtitles'), leadsTo: ['readScreen'] },
    ),
    recognize: studyEffect(
      { ...outcome('recognize'), leadsTo: [] },
      { ...outcome('recognize'), leadsTo: ['readScreen'] },
    ),
    readScreen: studyEffect(outcome('readScreen')),
    read: studyEffect(outcome('read')),
    assess: studyEffect({ ...outcome('assess'), leadsTo: ['decide'] }, { ...outcome('assess'), leadsTo: [] }),
    decide: studyEffect(outcome('decide')),
    admit: studyEffect(outcome('admit')),
  },
  timers: { deadline: { input: studyInput, event: { type: 'deadline.reached' }, dueAt: (now) => now + budgetMs } },
  outside: [
    { type: 'worker.granted' },
    { type: 'study.cancel' },
    { type: 'content.damaged', message: 'the source changed' },
    exhausted,
  ],
  distinguish: (context) => (context as StudyContext).reason?.code,
};

const nextAnnounced: Readonly<Record<string, string>> = { initialize: 'detect', detect: 'subtitles' };

/** The commit after an effect has ended, and the step that is announced next. */
const emissionsAfter = ({ type, output }: AnyEventObject): unknown[] => {
  if (!type.startsWith('xstate.done.actor.')) return [];
  const done = type.slice('xstate.done.actor.'.length);
  const ofEngines = ['recognize', 'readScreen'].find((stage) => output.leadsTo?.includes(stage));
  const next = ofEngines ?? nextAnnounced[done];
  return [
    { type: 'commit', events: output.events, writes: output.writes },
    ...(next === undefined ? [] : [{ type: 'step.started', step: next }]),
  ];
};

const faultOf = ({ type, message, error, actorId }: AnyEventObject) => {
  if (type === 'supervision.exhausted') return { lifecycle: 'interrupted', code: 'executor_interrupted', message };
  if (type === 'study.cancel')
    return { lifecycle: 'interrupted', code: 'executor_interrupted', message: 'canceled: a client canceled the study' };
  if (type === 'content.damaged') return { lifecycle: 'failed', code: 'stored_content_inconsistent', message };
  if (type === 'deadline.reached')
    return { lifecycle: 'failed', code: 'executor_failed', message: 'deadline: the study used up its time' };
  const code = actorId === 'initialize' ? 'initialization_failed' : 'executor_failed';
  return error instanceof Error ? { lifecycle: 'failed', code, message: error.message } : error;
};

const studyEnding = (events: readonly AnyEventObject[]): Ending => {
  const last = events.at(-1) ?? { type: 'nothing' };
  const committed = events.flatMap(emissionsAfter);
  if (last.type === 'xstate.done.actor.admit')
    return { value: 'terminal', context: { ...studyInput, reason: null }, emissions: committed };
  const { lifecycle, code, message } = faultOf(last);
  const reason = { code, message };
  return {
    value: lifecycle,
    context: { ...studyInput, reason },
    emissions: [...committed, { type: 'runtime.stopped', lifecycle, reason }],
  };
};

const media = { contentId: `sha256:${'a'.repeat(64)}`, bytes: 4096 };

const ingestEffect = (name: string, input: object, output: unknown) => ({
  input,
  outputs: [output],
  errors: [new Error(`${name} went wrong`), `${name} threw  no\nerror`],
});

const probed = outcome('probe');
const sealed = outcome('seal');
const registered = { label: 'a source' };

/** The effects that every ingest ends with, once it has its media. */
const lastEffects = (input: object) => ({
  probe: ingestEffect('probe', { ...input, ...media }, probed),
  seal: ingestEffect('seal', { ...input, ...media }, sealed),
  register: ingestEffect('register', { ...input, ...media }, registered),
});

const ingestEmissions: Readonly<Record<string, unknown>> = {
  'xstate.done.actor.resolve': commit(outcome('resolve')),
  'xstate.done.actor.download': commit(outcome('download')),
  'xstate.done.actor.probe': commit(probed),
  'xstate.done.actor.seal': commit(sealed),
  'xstate.done.actor.register': { type: 'source.registered', source: registered },
};

const failureCodes: Readonly<Record<string, string>> = {
  'ingest.cancel': 'canceled',
  'upload.failed': 'upload_failed',
  'upload.expired': 'upload_failed',
  'xstate.error.actor.resolve': 'resolution_failed',
  'xstate.error.actor.download': 'download_failed',
  'xstate.error.actor.probe': 'probe_failed',
  'xstate.error.actor.seal': 'seal_failed',
  'xstate.error.actor.register': 'registration_failed',
};

const failureMessages: Readonly<Record<string, string>> = {
  'ingest.cancel': 'canceled by the client',
  'upload.expired': 'no media arrived while the upload was open',
};

const ingestMessageOf = ({ type, message, error }: AnyEventObject): string =>
  failureMessages[type] ?? message ?? (error instanceof Error ? error.message : error.replace(/\s+/g, ' '));

/** How an ingest ends: `received` is the event that brings its media, `exhaustedCode` blames the step that was under way. */
const ingestEnding =
  (input: object, received: string, exhaustedCode: (types: readonly string[]) => string) =>
  (events: readonly AnyEventObject[]): Ending => {
    const last = events.at(-1) ?? { type: 'nothing' };
    const types = events.map(({ type }) => type);
    const isRegistered = last.type === 'xstate.done.actor.register';
    const code = failureCodes[last.type] ?? exhaustedCode(types.slice(0, -1));
    return {
      value: isRegistered ? 'registered' : 'failed',
      context: {
        ...input,
        media: types.includes(received) ? media : null,
        failure: isRegistered ? null : { code, message: ingestMessageOf(last) },
      },
      emissions: types.flatMap((type) => ingestEmissions[type] ?? []),
    };
  };

const ownedInput = { ingestId: 'ingest:one', uploadDueAt: 900_000 };

const ownedScenario: Scenario = {
  machine: ownedIngestMachine,
  input: ownedInput,
  effects: lastEffects({ ingestId: ownedInput.ingestId }),
  timers: {
    uploadDeadline: {
      input: { dueAt: ownedInput.uploadDueAt },
      event: { type: 'upload.expired' },
      dueAt: () => ownedInput.uploadDueAt,
    },
  },
  outside: [
    { type: 'media.received', ...media },
    { type: 'upload.failed', message: 'the connection broke' },
    { type: 'worker.granted' },
    { type: 'ingest.cancel' },
    exhausted,
  ],
  distinguish: (context) => (context as OwnedIngestContext).failure?.code,
};

const ownedEnding = ingestEnding(ownedInput, 'media.received', (types) => {
  if (types.includes('xstate.done.actor.probe')) return 'seal_failed';
  return types.includes('worker.granted') ? 'probe_failed' : 'upload_failed';
});

const videohostInput = { ingestId: 'ingest:one' };

const videohostScenario: Scenario = {
  machine: videohostIngestMachine,
  input: videohostInput,
  effects: {
    resolve: ingestEffect('resolve', videohostInput, outcome('resolve')),
    download: ingestEffect('download', videohostInput, { ...outcome('download'), media }),
    ...lastEffects(videohostInput),
  },
  timers: {},
  outside: [{ type: 'worker.granted' }, { type: 'ingest.cancel' }, exhausted],
  distinguish: (context) => (context as VideohostIngestContext).failure?.code,
};

const videohostEnding = ingestEnding(videohostInput, 'xstate.done.actor.download', (types) => {
  if (types.includes('xstate.done.actor.probe')) return 'seal_failed';
  if (types.includes('xstate.done.actor.download')) return 'probe_failed';
  return types.includes('xstate.done.actor.resolve') ? 'download_failed' : 'resolution_failed';
});

/** Every chart that an actor follows. */
export const lifecycles: readonly Lifecycle[] = [
  { scenario: captionScenario, endingOf: captionEnding },
  { scenario: explanationScenario, endingOf: explanationEnding },
  { scenario: ownedScenario, endingOf: ownedEnding },
  { scenario: studyScenario, endingOf: studyEnding },
  { scenario: videohostScenario, endingOf: videohostEnding },
];
