import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StudyRequest } from '../../../client/studies.ts';
import type { SourceSessionRow } from '../../../contract/sources/source-session.ts';
import type { RuntimePlan } from '../../../contract/study/start.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { Facts } from '../parts/facts.tsx';
import { Identity } from '../parts/identity.tsx';
import { RemotePart } from '../parts/remote-part.tsx';
import { sentence } from '../words/codes.ts';
import { reachWords } from '../words/reach.ts';
import { duration, withTimes } from '../words/time-code.ts';

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
export function PlanCard({ source, request }: PlanCardProps) {
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
