import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { CaptionMethodRow } from '../../contract/captions/caption-method.ts';
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
import { Failed, Loading, Notice, Remedies, RemotePart } from '../parts/notice.tsx';
import { permit, useWays, Ways } from '../parts/ways.tsx';
import type { Stretch } from '../timeline/ticks.ts';
import { type CaptionWay, readFilmMethods, sendingText } from '../words/caption-ways.ts';
import { whatWords } from '../words/cause-words.ts';
import { duration, moment, rangeCode, reachWords, wholeSeconds } from '../words/numbers.ts';
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
      <h1>Make captions</h1>
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

/** The request of a person, without the way to its captions. */
type AskedStudy = Pick<StudyRequest, 'range' | 'requestedSourceLanguage' | 'targetLanguage'>;

const requestOf = (range: Stretch, spoken: string, target: string): AskedStudy => ({
  range,
  requestedSourceLanguage: spokenLanguage(spoken === '' ? undefined : spoken),
  targetLanguage: target,
});

/** The wish of a way for recognized speech; without one the settings of the host decide. */
const wishOf = (recognition: CaptionWay['recognition'] | undefined): Pick<StudyRequest, 'recognition'> =>
  recognition == null ? {} : { recognition };

/** The plan and warnings of a request before it is sent, with the wish of its way. */
interface Outlook {
  readonly plan: RuntimePlan;
  readonly warnings: readonly PlanWarning[];
  /** The study that an equal request started before; null without one. */
  readonly before: RuntimeRow | null;
}

async function readOutlook(host: StudyHost, source: SourceSessionRow, request: StudyRequest): Promise<Outlook> {
  const [plan, { warnings }, { runtimes }] = await Promise.all([
    host.plan(source, request),
    host.warnings(source, request),
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
  const asked = useSettled(isLanguage ? JSON.stringify(requestOf(range, spoken, target)) : '');
  const { remote: rows, reload: askAgain } = useRemote(async () => {
    if (asked === '') return null;
    const { captionMethods } = await host.warnings(source, JSON.parse(asked) as AskedStudy);
    return readFilmMethods(host, captionMethods);
  }, [host, source, asked]);
  const methods = rows.state === 'ready' ? rows.value : null;
  const ways = useWays(methods, { spoken: spoken === '' ? null : spoken, isStudied: false });
  // A plan with a wish that is not permitted yet is refused.
  const wish = JSON.stringify(wishOf(ways.way?.state === 'ready' ? ways.way.recognition : null));
  const isKnown = methods !== null;
  const { remote, reload } = useRemote(
    async () => (isKnown ? readOutlook(host, source, { ...JSON.parse(asked), ...JSON.parse(wish) }) : null),
    [host, source, asked, isKnown, wish],
  );
  // A study with recognized speech is another one than that of this plan, until it is permitted.
  const isOther = ways.way !== null && ways.way.permission !== null && ways.way.recognizesMs > 0;
  const before = remote.state === 'ready' && !isOther ? (remote.value?.before ?? null) : null;
  const limitMs = methods === null ? null : captionLimitOf(methods.rows.methods);
  /** Permits what a way needs, and starts the study with its wish; without captions for null. */
  const start = (way: CaptionWay | null, isAgain: boolean) =>
    run(async () => {
      const request = requestOf(range, spoken, target);
      let wished = way?.recognition;
      if (way !== null && way.permission !== null) {
        await permit(host, way);
        // An engine that was set up just now has its name from the host.
        const { captionMethods } = await host.warnings(source, request);
        wished = captionMethods.methods.find(({ method }) => method === way.method)?.recognition;
      }
      const again = isAgain ? { clientRequestId: attempt } : {};
      const { runtimeId } = await host.study(source, { ...request, ...wishOf(wished), ...again }).started;
      location.hash = addressOf({ view: 'study', runtimeId, pane: 'evidence' });
    });
  const isShort = range.endMs - range.startMs < source.durationMs;
  const isLimited = isTooLong(rows) || limitMs !== null;
  const hasNoWay = methods !== null && ways.way === null;
  const isBusy = action.state === 'busy';
  const allows = ways.way !== null && ways.way.permission !== null;
  return (
    <form
      class="new-study"
      onSubmit={(event) => {
        event.preventDefault();
        start(ways.way, before !== null);
      }}
    >
      <div class="split">
        <section aria-labelledby="languages">
          <h2 id="languages">
            <bdi>{source.label}</bdi> <span class="quiet">{wholeSeconds(source.durationMs)}</span>
          </h2>
          <p class="quiet">
            First the film is studied: its speech, cuts and subtitles are found. Then you approve the lines.
          </p>
          <div class="pair">
            <LanguagePicker
              label="Spoken language"
              none="Not known"
              ofTracks={ofTracks.all}
              value={spoken}
              onValue={setSpoken}
            />
            <LanguagePicker label="Captions in" ofTracks={ofTracks.all} value={target} onValue={setTarget} />
          </div>
          {!isLanguage && <p class="bad-text">Give a language by its tag, such as en, ko or pt-BR.</p>}
          <details class="panel" open={isShort || isLimited}>
            <summary>
              Part of the film:{' '}
              {isShort ? (
                <span class="mono">{rangeCode(range.startMs, range.endMs)}</span>
              ) : (
                <span class="quiet">all of it</span>
              )}
            </summary>
            <RangeStrip
              earlier={earlier.state === 'ready' ? earlier.value : null}
              durationMs={source.durationMs}
              range={range}
              onRange={setRange}
            />
          </details>
          <RangeLimit isOfStudies={isTooLong(rows)} captionsMs={limitMs} range={range} onRange={setRange} />
          {methods !== null && limitMs === null && (
            <section aria-labelledby="way">
              <h2 id="way">Captions</h2>
              <Ways of={ways} sourceSessionId={source.sourceSessionId} />
            </section>
          )}
          {remote.state === 'ready' && remote.value !== null && <Warnings of={remote.value.warnings} />}
          {before === null ? (
            <div class="actions">
              <button type="submit" class="primary" disabled={!isLanguage || isBusy}>
                {isBusy
                  ? 'Starting'
                  : allows
                    ? 'Allow and start'
                    : hasNoWay
                      ? 'Start without captions'
                      : 'Start the study'}
              </button>
              {allows && (
                <button type="button" disabled={isBusy} onClick={() => start(null, false)}>
                  Start without captions
                </button>
              )}
            </div>
          ) : (
            <EarlierStudy before={before} again={allows ? 'Allow and study again' : 'Study again'} isBusy={isBusy} />
          )}
          {action.state === 'failed' && <Failed error={action.error} />}
        </section>
        <aside aria-labelledby="plan">
          <h2 id="plan">Plan</h2>
          <div class="panel" aria-live="polite">
            {isTooLong(rows) ? (
              <p class="quiet">Choose a shorter range first.</p>
            ) : asked === '' ? (
              <p class="quiet">Choose the languages first.</p>
            ) : (
              <RemotePart of={rows} what="the plan" onRetry={askAgain}>
                {() => (
                  <RemotePart of={remote} what="the plan" onRetry={reload}>
                    {(known) => (known === null ? <Loading what="the plan" /> : <Plan {...known} way={ways.way} />)}
                  </RemotePart>
                )}
              </RemotePart>
            )}
          </div>
        </aside>
      </div>
    </form>
  );
}

/** The warnings of a start, above its button. */
const Warnings = ({ of: warnings }: { readonly of: readonly PlanWarning[] }) =>
  warnings.length === 0 ? null : (
    <ul class="plain warnings" aria-label="Before you start">
      {warnings.map((each) => (
        <li key={`${each.code} ${each.text}`}>
          {`${sentence(whatWords([each.cause]))}.`} <Remedies causes={[each.cause]} />
        </li>
      ))}
    </ul>
  );

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

interface EarlierStudyProps {
  readonly before: RuntimeRow;
  /** The words of the button for another one. */
  readonly again: string;
  readonly isBusy: boolean;
}

/** A study that an equal request started before, and the button for another one. */
function EarlierStudy({ before, again, isBusy }: EarlierStudyProps) {
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
          {isBusy ? 'Starting' : again}
        </button>
      </div>
    </Notice>
  );
}

const isTooLong = (remote: Remote<unknown>): boolean =>
  remote.state === 'failed' && remote.error instanceof HostError && remote.error.code === 'study_range_too_large';

/** The longest study of a host, in ms, as its settings have it; null if they do not say. */
async function longestStudyMs(host: StudyHost): Promise<number | null> {
  const { settings } = await host.settings.read();
  const row = settings.find(({ name }) => name === 'maximum-study-range-ms');
  const limit = Number(row?.value ?? row?.preset ?? Number.NaN);
  return Number.isInteger(limit) ? limit : null;
}

interface RangeLimitProps {
  /** True if the range is longer than a study. */
  readonly isOfStudies: boolean;
  /** The longest captions, if the range is too long for them; else null. */
  readonly captionsMs: number | null;
  readonly range: Stretch;
  readonly onRange: (range: Stretch) => void;
}

/** The limit that a range exceeds, with a button for the longest range that fits. */
function RangeLimit({ isOfStudies, captionsMs, range, onRange }: RangeLimitProps) {
  const host = useHost();
  const { remote: limit } = useRemote(
    () => (isOfStudies ? longestStudyMs(host) : Promise.resolve(null)),
    [isOfStudies],
  );
  const limitMs = isOfStudies ? (limit.state === 'ready' ? limit.value : null) : captionsMs;
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
    return <span class="quiet">no estimate: no study like this one has ended on this computer yet</span>;
  }
  const [about, most] = [expected, conservative].map((each) =>
    duration(Math.ceil(each.elapsedDurationMs / 1000) * 1000),
  );
  return `about ${about} of work on the media; nine times in ten at most ${most}`;
}

/** The privacy and cost of a start: those of its way to captions, and of the engines that take part in every study. */
function Reach({ way }: { readonly way: CaptionWay | null }) {
  const host = useHost();
  const { remote } = useRemote(() => host.checks(), [host]);
  const sent = way === null ? null : sendingText(way);
  if (sent !== null) return <>{sent}</>;
  if (remote.state === 'ready') return <>{reachWords(remote.value.engines)}</>;
  return <span class="quiet">{remote.state === 'loading' ? 'asking the host' : 'the host does not say'}</span>;
}

/** The longest captions of a host, if a range is too long for them by every way that its film has; else null. */
export function captionLimitOf(methods: readonly Pick<CaptionMethodRow, 'state' | 'obstacles'>[]): number | null {
  if (methods.some(({ state }) => state !== 'impossible')) return null;
  const limits = methods.flatMap(({ obstacles: [first] }) =>
    first?.code === 'range_too_long' ? [first.params.limitMs] : [],
  );
  return limits[0] ?? null;
}

interface PlanProps extends Pick<Outlook, 'plan'> {
  readonly way: CaptionWay | null;
}

/** The plan of a start. Nothing of it is stored. */
function Plan({ plan: { forecast, runtimeId }, way }: PlanProps) {
  return (
    <>
      <Facts
        of={[
          ['Length', wholeSeconds(forecast.scenarios.baseline.workload.requestedOperationMediaDurationMs)],
          ['Time it will take', expectedTime(forecast)],
          ['Privacy and cost', <Reach way={way} />],
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
