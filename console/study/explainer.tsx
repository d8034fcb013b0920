import { useRef, useState } from 'preact/hooks';
import type { CaptionProductionResults } from '../../contract/captions/caption-answers.ts';
import type { FacetKind } from '../../contract/explanations/executor.ts';
import type { LanguageExplanationList } from '../../contract/explanations/explanation.ts';
import { useHost } from '../host/session.ts';
import { useDeed, useRemote } from '../host/use-remote.ts';
import { Badge } from '../parts/facts.tsx';
import { Agree, Field } from '../parts/field.tsx';
import { Failed, Notice, RemotePart } from '../parts/notice.tsx';
import { sentence, wordsOf } from '../words/codes.ts';
import type { StudyContents } from './study-model.ts';

/** What was explained so far, and the attempts that failed. */
function Explanations({ answer: { attempts, results } }: { readonly answer: LanguageExplanationList }) {
  const unfinished = attempts.filter(({ status }) => status !== 'completed');
  if (attempts.length === 0) return null;
  return (
    <ul class="rows">
      {unfinished.map(({ jobId, attempt, status, failure, selection }) => (
        <li key={`${jobId} ${attempt}`} class="row">
          <div class="row-main">
            <p class="row-title">{selection.text}</p>
            {failure !== null && <p class="bad-text">{failure}</p>}
          </div>
          <Badge state={status === 'failed' ? 'failed' : 'running'} words={status} />
        </li>
      ))}
      {results.map(({ artifact, verification }) => (
        <li key={verification.jobId} class="row">
          <div class="row-main">
            <p class="row-title">{verification.selection.text}</p>
            {artifact.facets.map((facet) => (
              <div key={facet.kind} class="facet">
                <p class="overline">{sentence(wordsOf(facet.kind))}</p>
                {facet.availability === 'available' ? (
                  Object.entries(facet.content).map(([name, value]) => <p key={name}>{String(value)}</p>)
                ) : (
                  <p class="withheld-word">
                    {facet.availability}: {wordsOf(facet.reasonCode)}
                  </p>
                )}
              </div>
            ))}
            <p class="hint">By {verification.executor.model}. What it says was not reviewed.</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

const kinds: readonly FacetKind[] = ['meaning', 'word', 'phrase', 'grammar', 'translation_choice'];

interface ExplainerProps {
  readonly artifact: CaptionProductionResults['results'][number]['artifact'];
  readonly study: StudyContents;
  readonly runtimeId: string;
}

/** Where of a text something was selected, in code points, with the words that stand there. */
function selectionOf({ value, selectionStart, selectionEnd }: HTMLTextAreaElement) {
  const before = [...value.slice(0, selectionStart)].length;
  const text = value.slice(selectionStart, selectionEnd);
  return { unit: 'unicode_code_point', start: before, end: before + [...text].length, text } as const;
}

/** Asks the hosted model about a part of a line, where this host has one. */
export function Explainer({ artifact, study, runtimeId }: ExplainerProps) {
  const host = useHost();
  const { deed, run } = useDeed();
  const { remote, reload } = useRemote(() => host.captions.explanations(runtimeId), [host, runtimeId]);
  const [lineId, setLineId] = useState(artifact.lines[0]?.id ?? '');
  const [side, setSide] = useState<'source' | 'target'>('source');
  const [asked, setAsked] = useState<readonly FacetKind[]>(['meaning']);
  const [span, setSpan] = useState('');
  const text = useRef<HTMLTextAreaElement>(null);
  const line = artifact.lines.find(({ id }) => id === lineId);
  const mayExplain = study.overview.actions.some(({ action }) => action === 'explain');
  const explain = (event: Event) => {
    event.preventDefault();
    const element = text.current;
    if (element === null || asked.length === 0) return;
    const selection = { side, ...selectionOf(element) };
    run(async () => {
      await host.captions.explain(runtimeId, {
        lineId,
        selection,
        facetKinds: kinds.filter((each) => asked.includes(each)),
      });
      reload();
    });
  };
  return (
    <section aria-labelledby="explanations">
      <h2 id="explanations">Explanations</h2>
      {mayExplain ? (
        <form class="panel" onSubmit={explain}>
          <div class="pair">
            <Field label="Line">
              {(id) => (
                <select id={id} value={lineId} onChange={({ currentTarget }) => setLineId(currentTarget.value)}>
                  {artifact.lines.map((each, at) => (
                    <option key={each.id} value={each.id}>
                      {at + 1}. {each.source.text ?? each.target.text ?? each.id}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label="Side">
              {(id) => (
                <select
                  id={id}
                  value={side}
                  onChange={({ currentTarget }) => setSide(currentTarget.value as typeof side)}
                >
                  <option value="source">source</option>
                  <option value="target">target</option>
                </select>
              )}
            </Field>
          </div>
          <Field label="Select the part that is to be explained">
            {(id) => (
              <textarea
                ref={text}
                id={id}
                rows={2}
                readOnly
                value={line?.[side].text ?? ''}
                onSelect={({ currentTarget }) => setSpan(selectionOf(currentTarget).text)}
              />
            )}
          </Field>
          <p class="hint">{span === '' ? 'Nothing is selected yet.' : `Selected: ${span}`}</p>
          <fieldset>
            <legend>What is to be explained</legend>
            {kinds.map((kind) => (
              <Agree
                key={kind}
                isTicked={asked.includes(kind)}
                onTick={(isTicked) => setAsked(isTicked ? [...asked, kind] : asked.filter((each) => each !== kind))}
              >
                {sentence(wordsOf(kind))}
              </Agree>
            ))}
          </fieldset>
          <p class="hint">The lines around it go to the hosted model that this host was started with.</p>
          <button type="submit" class="primary" disabled={span === '' || asked.length === 0 || deed.state === 'busy'}>
            {deed.state === 'busy' ? 'Asking the model' : 'Explain'}
          </button>
          {deed.state === 'failed' && <Failed error={deed.error} />}
        </form>
      ) : (
        <Notice kind="unavailable" title="Nothing can be explained here">
          {sentence(study.overview.explanations.text)}. A host explains where it was started with a hosted model;
          nothing leaves this machine otherwise.
        </Notice>
      )}
      <RemotePart of={remote} what="the explanations" onRetry={reload}>
        {(answer) => <Explanations answer={answer} />}
      </RemotePart>
    </section>
  );
}
