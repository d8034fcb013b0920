import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import type { RuntimePlan } from '../../contract/study/start.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useDeed, useRemote } from '../host/use-remote.ts';
import { Facts, Identity } from '../parts/facts.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { Failed, Notice, RemotePart } from '../parts/notice.tsx';
import { sentence } from '../words/codes.ts';
import { duration, reachWords, withTimes } from '../words/numbers.ts';
import { earlierStudy, RangeStrip } from './range-strip.tsx';

/** What is to be studied of a source, and how. */
export function NewStudyView({ sourceSessionId }: { readonly sourceSessionId: string }) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.sources(), [host]);
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/sources">Sources</a>
      </p>
      <h1>New study</h1>
      <RemotePart of={remote} what="the source" onRetry={reload}>
        {(sources) => {
          const source = sources.find((each) => each.sourceSessionId === sourceSessionId);
          return source === undefined ? (
            <Notice kind="unavailable" title="This host has no such source">
              <a href="#/sources">Choose one of its sources</a>
            </Notice>
          ) : (
            <StudyForm source={source} />
          );
        }}
      </RemotePart>
    </div>
  );
}

/** The length that a new study begins with where the source is longer: what most hosts take at once. */
const usualRangeMs = 120_000;
const tagPattern = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;

const requestOf = (range: StudyRequest['range'], spoken: string, target: string, attempt: string): StudyRequest => ({
  ...(range !== undefined && { range }),
  requestedSourceLanguage: spokenLanguage(spoken === '' ? undefined : spoken),
  targetLanguage: target,
  ...(attempt !== '' && { clientRequestId: attempt }),
});

function StudyForm({ source }: { readonly source: SourceSessionRow }) {
  const host = useHost();
  const { deed, run } = useDeed();
  const { remote: earlier } = useRemote(
    () => earlierStudy(host, source.sourceSessionId),
    [host, source.sourceSessionId],
  );
  const [range, setRange] = useState({ startMs: 0, endMs: Math.min(source.durationMs, usualRangeMs) });
  const [spoken, setSpoken] = useState('');
  const [target, setTarget] = useState('en');
  const [isAnew, setAnew] = useState(false);
  const [attempt] = useState(() => `console-${crypto.randomUUID()}`);
  const isLanguage = tagPattern.test(target) && (spoken === '' || tagPattern.test(spoken));
  const request = requestOf(range, spoken, target, isAnew ? attempt : '');
  const start = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const { runtimeId } = await host.study(source, request).started;
      location.hash = addressOf({ view: 'study', runtimeId, pane: 'evidence' });
    });
  };
  return (
    <form class="new-study" onSubmit={start}>
      <section aria-labelledby="range">
        <h2 id="range">
          Range of <bdi>{source.label}</bdi> <span class="quiet">{duration(source.durationMs)}</span>
        </h2>
        <RangeStrip
          earlier={earlier.state === 'ready' ? earlier.value : null}
          durationMs={source.durationMs}
          range={range}
          onRange={setRange}
        />
      </section>
      <div class="split">
        <section aria-labelledby="languages">
          <h2 id="languages">Languages</h2>
          <div class="pair">
            <TextField
              label="Spoken"
              hint="A tag such as ko or pt-BR. Empty: left to detection; captions need a declared one."
              value={spoken}
              onValue={(value) => setSpoken(value.trim())}
              isMono
            />
            <TextField
              label="Captions in"
              hint="The language that captions are to be in."
              value={target}
              onValue={(value) => setTarget(value.trim())}
              isMono
            />
          </div>
          {!isLanguage && <p class="bad-text">A language is given by its tag, such as en, ko or pt-BR.</p>}
          <Field label="Attempt">
            {(id) => (
              <select
                id={id}
                value={isAnew ? 'new' : 'same'}
                onChange={({ currentTarget }) => setAnew(currentTarget.value === 'new')}
              >
                <option value="same">Find the study of an equal request</option>
                <option value="new">A new attempt over the same inputs</option>
              </select>
            )}
          </Field>
          <button type="submit" class="primary" disabled={!isLanguage || deed.state === 'busy'}>
            {deed.state === 'busy' ? 'Starting' : 'Start the study'}
          </button>
          {deed.state === 'failed' && <Failed error={deed.error} />}
        </section>
        <aside aria-labelledby="plan">
          <h2 id="plan">Plan</h2>
          {isLanguage ? <PlanCard source={source} request={request} /> : <p class="quiet">Give the languages first.</p>}
        </aside>
      </div>
    </form>
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
    return <span class="withheld-word">not forecast: nothing to measure it by yet</span>;
  }
  const [about, most] = [expected, conservative].map((each) =>
    duration(Math.ceil(each.elapsedDurationMs / 1000) * 1000),
  );
  return `about ${about} of work on the media; nine times in ten at most ${most}`;
}

/** What a start means for privacy and cost, as the engines of this host that take part in a study say it. */
function Reach() {
  const host = useHost();
  const { remote } = useRemote(() => host.checks(), [host]);
  if (remote.state === 'ready') return <>{reachWords(remote.value.engines)}</>;
  return <span class="quiet">{remote.state === 'loading' ? 'asking the host' : 'the host does not say'}</span>;
}

interface PlanCardProps {
  readonly source: SourceSessionRow;
  readonly request: StudyRequest;
}

/** What a start would do, before it does anything: nothing of it is stored. */
function PlanCard({ source, request }: PlanCardProps) {
  const host = useHost();
  const asked = useSettled(JSON.stringify(request));
  const { remote, reload } = useRemote(async () => {
    const told = JSON.parse(asked) as StudyRequest;
    const [plan, { warnings }] = await Promise.all([host.plan(source, told), host.warnings(source, told)]);
    return { ...plan, warnings };
  }, [host, source, asked]);
  return (
    <div class="panel" aria-live="polite">
      <RemotePart of={remote} what="the plan" onRetry={reload}>
        {({ forecast, runtimeId, warnings }) => (
          <>
            {warnings.length > 0 && (
              <ul class="plain warnings" aria-label="Before you start">
                {warnings.map(({ code, text }) => (
                  <li key={code}>{sentence(withTimes(text))}.</li>
                ))}
              </ul>
            )}
            <Facts
              of={[
                [
                  'Media to go through',
                  duration(forecast.scenarios.baseline.workload.requestedOperationMediaDurationMs),
                ],
                ['Time it will take', expectedTime(forecast)],
                ['Privacy and cost', <Reach />],
                ['Study', <Identity id={runtimeId} />],
              ]}
            />
            <details>
              <summary>What this forecast rests on, and what it leaves open</summary>
              <ul class="plain">
                {[...forecast.assumptions, ...forecast.uncertainty].map(({ code, statement }) => (
                  <li key={code}>{statement}</li>
                ))}
              </ul>
            </details>
          </>
        )}
      </RemotePart>
    </div>
  );
}
