import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { isCanceled } from '../../contract/study/cancellation.ts';
import type { PlanWarning, RuntimePlan } from '../../contract/study/start.ts';
import type { RuntimeRow } from '../../contract/study/status.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { type Remote, useAction, useRemote } from '../host/use-remote.ts';
import { Facts, Identity } from '../parts/facts.tsx';
import { Icon } from '../parts/icon.tsx';
import { Failed, Notice, Remedies, RemotePart } from '../parts/notice.tsx';
import type { Stretch } from '../timeline/ticks.ts';
import { whatWords } from '../words/cause-words.ts';
import { duration, moment, reachWords, wholeSeconds } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { isTag, LanguagePicker, languagesOf } from './language-picker.tsx';
import { earlierStudy, RangeStrip } from './range-strip.tsx';

/** The form for a new study of a source. */
export function NewStudyView({ sourceSessionId }: { readonly sourceSessionId: string }) {
  const host = useHost();
  const { remote, reload } = useRemote(async () => {
    const source = (await host.sources()).find((each) => each.sourceSessionId === sourceSessionId);
    return source === undefined ? null : { source, probe: await host.mediaProbe(sourceSessionId) };
  }, [host, sourceSessionId]);
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/sources">Library</a>
      </p>
      <h1>New study</h1>
      <RemotePart of={remote} what="the source" onRetry={reload}>
        {(found) =>
          found === null ? (
            <Notice kind="unavailable" title="This source is not on this host">
              <a href="#/sources">Choose another one</a>
            </Notice>
          ) : (
            <StudyForm {...found} />
          )
        }
      </RemotePart>
    </div>
  );
}

const requestOf = (range: StudyRequest['range'], spoken: string, target: string, attempt: string): StudyRequest => ({
  ...(range !== undefined && { range }),
  requestedSourceLanguage: spokenLanguage(spoken === '' ? undefined : spoken),
  targetLanguage: target,
  ...(attempt !== '' && { clientRequestId: attempt }),
});

/** The plan and warnings of a request before it is sent. */
interface Outlook {
  readonly plan: RuntimePlan;
  readonly warnings: readonly PlanWarning[];
  /** The study that an equal request started before; null without one. */
  readonly before: RuntimeRow | null;
}

async function outlookOf(host: StudyHost, source: SourceSessionRow, request: StudyRequest): Promise<Outlook> {
  const [plan, { warnings }, { runtimes }] = await Promise.all([
    host.plan(source, request),
    // The host lists obstacles to captions only for a request with captions.
    host.warnings(source, { ...request, outputDepth: 'captions' }),
    host.runtimes({ sourceSessionId: source.sourceSessionId, limit: 200 }),
  ]);
  const before = runtimes.find(({ runtimeId }) => runtimeId === plan.runtimeId) ?? null;
  return { plan, warnings, before };
}

interface StudyFormProps {
  readonly source: SourceSessionRow;
  readonly probe: MediaProbe;
}

function StudyForm({ source, probe }: StudyFormProps) {
  const host = useHost();
  const { action, run } = useAction();
  const { remote: earlier } = useRemote(
    () => earlierStudy(host, source.sourceSessionId),
    [host, source.sourceSessionId],
  );
  const ofTracks = useMemo(() => languagesOf(probe), [probe]);
  const [range, setRange] = useState({ startMs: 0, endMs: source.durationMs });
  const [spoken, setSpoken] = useState(ofTracks.spoken);
  const [target, setTarget] = useState('en');
  const [attempt] = useState(() => `console-${crypto.randomUUID()}`);
  const isLanguage = isTag(target) && (spoken === '' || isTag(spoken));
  const asked = useSettled(isLanguage ? JSON.stringify(requestOf(range, spoken, target, '')) : '');
  const { remote, reload } = useRemote(
    async () => (asked === '' ? null : outlookOf(host, source, JSON.parse(asked) as StudyRequest)),
    [host, source, asked],
  );
  const outlook = remote.state === 'ready' ? remote.value : null;
  const before = outlook?.before ?? null;
  const start = (again: boolean) =>
    run(async () => {
      const { runtimeId } = await host.study(source, requestOf(range, spoken, target, again ? attempt : '')).started;
      location.hash = addressOf({ view: 'study', runtimeId, pane: 'evidence' });
    });
  return (
    <form
      class="new-study"
      onSubmit={(event) => {
        event.preventDefault();
        start(before !== null);
      }}
    >
      <section aria-labelledby="range">
        <h2 id="range">
          <bdi>{source.label}</bdi> <span class="quiet">{wholeSeconds(source.durationMs)}</span>
        </h2>
        <RangeStrip
          earlier={earlier.state === 'ready' ? earlier.value : null}
          durationMs={source.durationMs}
          range={range}
          onRange={setRange}
        />
        <RangeLimit remote={remote} range={range} onRange={setRange} />
      </section>
      <div class="split">
        <section aria-labelledby="languages">
          <h2 id="languages">Languages</h2>
          <div class="pair">
            <LanguagePicker label="Spoken" none="Detect" ofTracks={ofTracks.all} value={spoken} onValue={setSpoken} />
            <LanguagePicker label="Captions in" ofTracks={ofTracks.all} value={target} onValue={setTarget} />
          </div>
          {!isLanguage && <p class="bad-text">Give a language by its tag, such as en, ko or pt-BR.</p>}
          {before === null ? (
            <button type="submit" class="primary" disabled={!isLanguage || action.state === 'busy'}>
              {action.state === 'busy' ? 'Starting' : 'Start the study'}
            </button>
          ) : (
            <EarlierStudy before={before} isBusy={action.state === 'busy'} />
          )}
          {action.state === 'failed' && <Failed error={action.error} />}
        </section>
        <aside aria-labelledby="plan">
          <h2 id="plan">Plan</h2>
          <div class="panel" aria-live="polite">
            {isTooLong(remote) ? (
              <p class="quiet">Choose a shorter range first.</p>
            ) : (
              <RemotePart of={remote} what="the plan" onRetry={reload}>
                {(known) => (known === null ? <p class="quiet">Choose the languages first.</p> : <Plan {...known} />)}
              </RemotePart>
            )}
          </div>
        </aside>
      </div>
    </form>
  );
}

/** The title for an earlier study of the same that did not end with its findings. */
const unusable: Partial<Readonly<Record<RuntimeRow['lifecycle'], string>>> = {
  failed: 'An earlier study failed',
  interrupted: 'An earlier study was interrupted',
};

/** How an earlier study of the same is offered. After one that did not end with its findings, another one comes first. */
export function earlierWords({
  lifecycle,
  reason,
  acceptedAt,
}: Pick<RuntimeRow, 'lifecycle' | 'reason' | 'acceptedAt'>) {
  const started = `A study of this range in these languages was started on ${moment(acceptedAt)}.`;
  const title = isCanceled(reason) ? 'An earlier study was canceled' : unusable[lifecycle];
  if (title !== undefined) return { title, text: started, open: 'Open that study', isUsable: false };
  if (lifecycle !== 'terminal')
    return { title: 'Being studied', text: started, open: 'Open that study', isUsable: true };
  const text = `This range was studied in these languages on ${moment(acceptedAt)}.`;
  return { title: 'Studied before', text, open: 'Use that study', isUsable: true };
}

/** A study that an equal request started before, and the button for another one. */
function EarlierStudy({ before, isBusy }: { readonly before: RuntimeRow; readonly isBusy: boolean }) {
  const { title, text, open, isUsable } = earlierWords(before);
  return (
    <Notice kind="not-yet" icon="rotate-ccw" title={title}>
      <p>{text}</p>
      <div class="actions">
        <a
          class={isUsable ? 'button primary' : 'button'}
          href={addressOf({ view: 'study', runtimeId: before.runtimeId, pane: 'evidence' })}
        >
          {open}
        </a>
        <button type="submit" class={isUsable ? '' : 'primary'} disabled={isBusy}>
          {isBusy ? 'Starting' : 'Study again'}
        </button>
      </div>
    </Notice>
  );
}

const tooLong = (error: unknown): boolean => error instanceof HostError && error.code === 'study_range_too_large';
const isTooLong = (remote: Remote<unknown>): boolean => remote.state === 'failed' && tooLong(remote.error);

/** The longest study of a host, in ms, as its settings have it; null if they do not say. */
async function longestStudyMs(host: StudyHost): Promise<number | null> {
  const { settings } = await host.settings.read();
  const row = settings.find(({ name }) => name === 'maximum-study-range-ms');
  const limit = Number(row?.value ?? row?.preset ?? Number.NaN);
  return Number.isInteger(limit) ? limit : null;
}

interface RangeLimitProps {
  readonly remote: Remote<Outlook | null>;
  readonly range: Stretch;
  readonly onRange: (range: Stretch) => void;
}

/** The limit that a range exceeds, with a button for the longest range that fits. */
function RangeLimit({ remote, range, onRange }: RangeLimitProps) {
  const host = useHost();
  const isOfStudies = isTooLong(remote);
  const { remote: limit } = useRemote(
    () => (isOfStudies ? longestStudyMs(host) : Promise.resolve(null)),
    [isOfStudies],
  );
  const limitMs = isOfStudies
    ? limit.state === 'ready'
      ? limit.value
      : null
    : captionLimitOf(remote.state === 'ready' ? (remote.value?.warnings ?? []) : []);
  if (!isOfStudies && limitMs === null) return null;
  const length = wholeSeconds(range.endMs - range.startMs);
  return (
    <div class="range-limit" role="status">
      <Icon name="triangle-alert" />
      <p>
        {limitMs === null
          ? `This range of ${length} is longer than a study on this host.`
          : isOfStudies
            ? `A study covers at most ${duration(limitMs)} on this host, and this range is ${length}.`
            : `Captions cover at most ${duration(limitMs)} on this host. Study all ${length} without captions?`}
      </p>
      {limitMs !== null && (
        <button type="button" onClick={() => onRange({ startMs: range.startMs, endMs: range.startMs + limitMs })}>
          {isOfStudies ? 'Take' : 'Only'} the first {duration(limitMs)}
        </button>
      )}
    </div>
  );
}

const settleMs = 250;

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The time that the host expects, where finished operations like these say anything of it. */
function expectedTime({ scenarios: { expected, conservative } }: RuntimePlan['forecast']): ComponentChildren {
  if (expected.status === 'unavailable' || conservative.status === 'unavailable') {
    return <span class="quiet">not known in advance</span>;
  }
  const [about, most] = [expected, conservative].map((each) =>
    duration(Math.ceil(each.elapsedDurationMs / 1000) * 1000),
  );
  return `about ${about} of work on the media; nine times in ten at most ${most}`;
}

/** The privacy and cost of a start, from the engines that take part in a study. */
function Reach() {
  const host = useHost();
  const { remote } = useRemote(() => host.checks(), [host]);
  if (remote.state === 'ready') return <>{reachWords(remote.value.engines)}</>;
  return <span class="quiet">{remote.state === 'loading' ? 'asking the host' : 'the host does not say'}</span>;
}

const isOfLength = (each: PlanWarning): boolean => each.cause.code === 'range_too_long';

/** The longest captions of a host, if a range is too long for them and nothing else is in their way; else null. */
export function captionLimitOf(warnings: readonly PlanWarning[]): number | null {
  const obstacles = warnings.filter(({ code }) => code === 'captions_not_possible');
  const [first, ...others] = obstacles.map(({ cause }) => cause);
  // A shorter range gives no captions while anything else is in their way.
  return first?.code === 'range_too_long' && others.length === 0 ? first.params.limitMs : null;
}

const isOfLanguage = (each: PlanWarning): boolean =>
  each.code === 'captions_not_possible' && each.reason === 'source_language_not_declared';

/**
 * The warnings to list. The missing language comes only as the last obstacle: until then, choosing one gives no captions. A
 * range that is too long has its own line with a button.
 */
export function listedWarnings(warnings: readonly PlanWarning[]): readonly PlanWarning[] {
  const listed = warnings.filter((each) => !isOfLength(each));
  const isLast = listed.every((each) => each.code !== 'captions_not_possible' || isOfLanguage(each));
  return isLast ? listed : listed.filter((each) => !isOfLanguage(each));
}

/** The plan of a start. Nothing of it is stored. */
function Plan({ plan: { forecast, runtimeId }, warnings }: Outlook) {
  const said = listedWarnings(warnings);
  return (
    <>
      {said.length > 0 && (
        <ul class="plain warnings" aria-label="Before you start">
          {said.map((each) => (
            <li key={`${each.code} ${each.text}`}>
              {each.code === 'captions_not_possible' && <strong>No captions: </strong>}
              {`${sentence(whatWords([each.cause]))}.`} <Remedies causes={[each.cause]} />
            </li>
          ))}
        </ul>
      )}
      <Facts
        of={[
          ['Media', duration(forecast.scenarios.baseline.workload.requestedOperationMediaDurationMs)],
          ['Time it will take', expectedTime(forecast)],
          ['Privacy and cost', <Reach />],
        ]}
      />
      <details>
        <summary>Technical</summary>
        <Facts of={[['Study', <Identity id={runtimeId} />]]} />
        <ul class="plain">
          {[...forecast.assumptions, ...forecast.uncertainty].map(({ code, statement }) => (
            <li key={code}>{statement}</li>
          ))}
        </ul>
      </details>
    </>
  );
}
