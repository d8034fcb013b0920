import { createStore } from '@xstate/store';
import { HostError, HostUnreachable } from '../../client/host-error.ts';
import type { StudyRequest } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { pause } from '../../client/transport.ts';
import type { CaptionMethod, RecognitionWish } from '../../contract/captions/caption-method.ts';
import type { PartCause } from '../../contract/causes/causes.ts';
import type { AssessmentAudits } from '../../contract/evidence/assessment.ts';
import type { JournalEvent, RuntimeEvents } from '../../contract/journal.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import type { RuntimeEvidence } from '../../contract/study/runtime-evidence.ts';
import { addressOf } from '../host/route.ts';
import { type FilmMethods, readFilmMethods, waysOf } from '../words/caption-ways.ts';
import type { Kinds } from '../words/kind-words.ts';

/** The most events that a page keeps, so that a claim leads to its read. The journal view reads a longer journal page by page. */
const keptEvents = 5_000;

/** After an event the page reads the answers again, but waits at least this long in between. */
const quietMs = 400;

/** The client waits for a lost host for a limited time. After this long, the page requests the study again. */
const usualAgainMs = 2_000;

export interface StudyContents {
  readonly overview: RuntimeOverview;
  readonly evidence: RuntimeEvidence;
  readonly audits: AssessmentAudits;
  /** The kinds of evidence of the host, with their words. */
  readonly kinds: Kinds;
  /** The methods of a study that has no captions; null for one that has some, or has not ended. */
  readonly methods: FilmMethods | null;
  /** How its captions are made with the next button: by the settings of the host, or by a method; null if nothing is ready. */
  readonly ready: 'host' | CaptionMethod | null;
}

/** The request for lines and captions as they are made next: without a method the settings of the host decide. */
export const linesOf = (ready: StudyContents['ready']): { readonly method?: CaptionMethod } =>
  ready === null || ready === 'host' ? {} : { method: ready };

/** The request for another attempt of a study; with its own wish for recognition, or another one. */
export function requestAgain(
  { study, actions }: RuntimeOverview,
  recognition = actions.find(({ action }) => action === 'study_again')?.body?.recognition,
): StudyRequest {
  const { range, sourceLanguage, targetLanguage } = study;
  return {
    range,
    targetLanguage,
    requestedSourceLanguage: sourceLanguage,
    clientRequestId: `console-${crypto.randomUUID()}`,
    ...(recognition !== undefined && { recognition: recognition as RecognitionWish | null }),
  };
}

/** Starts another attempt of a study, and leads the page to it. */
export async function studyAgain(host: StudyHost, overview: RuntimeOverview, wish?: RecognitionWish): Promise<void> {
  const { runtimeId } = await host.study(overview.source, requestAgain(overview, wish)).started;
  location.hash = addressOf({ view: 'study', runtimeId, pane: 'evidence' });
}

/** True if the captions of a study take another one: Captions has the button for that. */
export const needsStudy = ({ methods, overview }: Pick<StudyContents, 'methods' | 'overview'>): boolean =>
  methods !== null && waysOf(methods, studiedFilm(overview))[0]?.state === 'study';

/** The film of a study, for its ways to captions. */
export const studiedFilm = ({ study }: Pick<RuntimeOverview, 'study'>) => ({
  spoken: study.sourceLanguage.languages[0] ?? null,
  isStudied: true,
});

/**
 * A study with its ways to captions. The overview is about the settings, without a request. So captions by a method are still to come
 * here, and a study without one has the reasons against the nearest.
 */
export function withMethods(
  overview: RuntimeOverview,
  methods: FilmMethods | null,
): Pick<StudyContents, 'overview' | 'methods' | 'ready'> {
  const { captions, check, actions } = overview;
  if (methods === null || !['never', 'waiting', 'not_yet'].includes(captions.state)) {
    return { overview, methods: null, ready: null };
  }
  if (captions.state !== 'never') return { overview, methods, ready: 'host' };
  const [first] = waysOf(methods, studiedFilm(overview));
  const ready = first?.state === 'ready' ? first.method : null;
  if (ready === null && first?.state !== 'permit') {
    // Without an executor in the settings the methods decide: their obstacles are those of captions.
    const causes = methods.usual === null && first !== undefined ? (first.causes as PartCause[]) : captions.causes;
    return { overview: { ...overview, captions: { ...captions, causes } }, methods, ready };
  }
  const isApproved = actions.some(({ action }) => action === 'revoke');
  const changed: RuntimeOverview = {
    ...overview,
    captions: isApproved
      ? { ...captions, state: 'waiting', causes: [], text: 'captions can be made' }
      : { ...captions, state: 'not_yet', causes: [{ code: 'approval_to_come', params: {} }] },
    check: { ...check, state: 'not_yet', causes: [{ code: 'captions_to_come', params: {} }] },
  };
  return { overview: changed, methods, ready };
}

interface Model {
  readonly study: StudyContents | null;
  /** The error of the last read; an older study may still be shown. */
  readonly error: unknown;
  readonly events: readonly JournalEvent[];
  /** How many events the journal has; it may have more than are kept here. */
  readonly journalHead: number;
  /** The current step, from the newest event. */
  readonly isLive: boolean;
  /** How far the study is within its step; null if unknown. */
  readonly progress: WorkProgress | null;
}

export type StudyModel = ReturnType<typeof studyModel>;

const makeStore = () =>
  createStore({
    context: { study: null, error: null, events: [], journalHead: 0, isLive: false, progress: null } as Model,
    on: {
      read: (context, { study }: { study: StudyContents }) => ({ ...context, study, error: null }),
      failed: (context, { error }: { error: unknown }) => ({ ...context, error }),
      received: (context, { events: received, head = 0 }: { events: readonly JournalEvent[]; head?: number }) => {
        // The answer to an action may bring what the stream brings, too.
        const events = [...context.events, ...received.filter(({ seq }) => seq > context.events.length)];
        return { ...context, events, journalHead: Math.max(context.journalHead, head, events.length) };
      },
      live: (context, { isLive }: { isLive: boolean }) => ({ ...context, isLive, progress: null }),
      measured: (context, { progress }: { progress: WorkProgress }) => ({ ...context, progress }),
    },
  });

/** One study as a page shows it: read as a whole, then followed event by event. */
export function studyModel(host: StudyHost, runtimeId: string, againMs = usualAgainMs) {
  const store = makeStore();
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let turn = 0;
  /** True if the host refused what was looked for last, such as a study that is deleted. */
  let isRefused = false;

  const readOnce = async (): Promise<void> => {
    turn += 1;
    const own = turn;
    try {
      const [overview, evidence, audits, { kinds }] = await Promise.all([
        host.overview(runtimeId),
        host.evidence(runtimeId, 'all'),
        host.claims(runtimeId),
        host.evidenceKinds(),
      ]);
      const { methodsPath } = overview.captions;
      const methods =
        methodsPath === undefined ? null : await readFilmMethods(host, await host.captions.methods(runtimeId));
      // An answer that a later question has overtaken is not shown.
      if (own === turn)
        store.send({ type: 'read', study: { evidence, audits, kinds, ...withMethods(overview, methods) } });
    } catch (error) {
      if (own === turn) store.send({ type: 'failed', error });
    }
  };

  let newest = Promise.resolve();
  const read = (): Promise<void> => {
    newest = readOnce();
    return newest;
  };

  const readSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      void read();
    }, quietMs);
  };

  /** Reads what the journal has beyond the events that are known, as far as a page keeps them. */
  const catchUp = async (): Promise<RuntimeEvents> => {
    for (;;) {
      const known = store.getSnapshot().context.events.length;
      const page = await host.events(runtimeId, { after: known, signal: stop.signal });
      store.send({ type: 'received', events: page.events, head: page.journalHead });
      if (page.reachedHead || page.nextCursor >= keptEvents) return page;
    }
  };

  const onProgress = (progress: WorkProgress): void => {
    const before = store.getSnapshot().context.progress?.stage ?? progress.stage;
    store.send({ type: 'measured', progress });
    // The overview names what a study waits for, and a wait adds no event to the journal.
    if (before !== progress.stage && [before, progress.stage].includes('queued')) readSoon();
  };

  /** Reads what the journal has, then follows it for as long as the study lives. */
  const follow = async (): Promise<void> => {
    const { terminal, nextCursor } = await catchUp();
    if (store.getSnapshot().context.error !== null) readSoon();
    if (terminal) return;
    store.send({ type: 'live', isLive: true });
    try {
      for await (const event of host.follow(runtimeId, { after: nextCursor, signal: stop.signal, onProgress })) {
        store.send({ type: 'received', events: [event] });
        readSoon();
      }
    } finally {
      store.send({ type: 'live', isLive: false });
    }
    readSoon();
  };

  const followOn = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        return await follow();
      } catch (error) {
        stop.signal.throwIfAborted();
        store.send({ type: 'failed', error });
        if (!(error instanceof HostUnreachable)) return;
      }
      await pause(againMs, stop.signal);
    }
  };

  /** Reads everything again, with the events that came since: after an action of the person. */
  const refresh = async (): Promise<void> => {
    await catchUp();
    // An overtaken read shows nothing: an action is over once the newest one is shown, and the focus moves on from there.
    for (let own = read(); ; own = newest) {
      await own;
      if (own === newest) return;
    }
  };

  /**
   * Reads everything again where the journal has gone on: reviews and captions join that of an ended study without its stream. Of a
   * study that waits the stream says that it does, and not what for.
   */
  const readIfChanged = async (): Promise<void> => {
    const { journalHead, isLive, study, progress } = store.getSnapshot().context;
    if (isLive && progress?.stage === 'queued') await read();
    if (isLive || study === null) return;
    try {
      const page = await host.events(runtimeId, { after: journalHead, limit: 1, signal: stop.signal });
      if (page.journalHead > journalHead || isRefused) await refresh();
      isRefused = false;
    } catch (error) {
      // The page as a whole says that the host is gone.
      if (!(error instanceof HostError)) return;
      isRefused = true;
      store.send({ type: 'failed', error });
    }
  };

  const open = (): (() => void) => {
    void read();
    followOn().catch((error: unknown) => {
      if (!stop.signal.aborted) store.send({ type: 'failed', error });
    });
    return () => {
      stop.abort();
      if (timer !== null) clearTimeout(timer);
    };
  };

  return { store, open, refresh, read, readIfChanged };
}
