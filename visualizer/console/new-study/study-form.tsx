import { useState } from 'preact/hooks';
import { type StudyRequest, spokenLanguage } from '../../../client/studies.ts';
import type { SourceSessionRow } from '../../../contract/sources/source-session.ts';
import { addressOf } from '../host/route.ts';
import { useDeed } from '../host/use-deed.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { Field, TextField } from '../parts/field.tsx';
import { Failed } from '../parts/notice.tsx';
import { duration } from '../words/time-code.ts';
import { earlierStudy } from './earlier-study.ts';
import { PlanCard } from './plan-card.tsx';
import { RangeStrip } from './range-strip.tsx';

/** The length that a new study begins with where the source is longer: what most hosts take at once. */
const usualRangeMs = 120_000;
const tagPattern = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;

const requestOf = (range: StudyRequest['range'], spoken: string, target: string, attempt: string): StudyRequest => ({
  ...(range !== undefined && { range }),
  requestedSourceLanguage: spokenLanguage(spoken === '' ? undefined : spoken),
  targetLanguage: target,
  ...(attempt !== '' && { clientRequestId: attempt }),
});

export function StudyForm({ source }: { readonly source: SourceSessionRow }) {
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
