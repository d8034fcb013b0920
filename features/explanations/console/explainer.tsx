import { useEffect, useState } from 'preact/hooks';
import type { PanelPlaces } from '../../../console/host/page-feature.ts';
import { useHost } from '../../../console/host/session.ts';
import { useAction, useRemote } from '../../../console/host/use-remote.ts';
import { Badge } from '../../../console/parts/facts.tsx';
import { Agree } from '../../../console/parts/field.tsx';
import { Failed, Remedies, RemotePart } from '../../../console/parts/notice.tsx';
import { whatWords } from '../../../console/words/cause-words.ts';
import { sentence, wordsOf } from '../../../console/words/sentence.ts';
import type { FacetKind } from '../../../contract/explanations/executor.ts';
import type { LanguageExplanationList } from '../../../contract/explanations/explanation.ts';

/** The explanations so far, and the attempts that failed. */
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
            <p class="hint">By {verification.executor.model}. Nobody has reviewed it.</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

const kinds: readonly FacetKind[] = ['meaning', 'word', 'phrase', 'grammar', 'translation_choice'];

/** Explains the part of a line that is selected, if this host has a model for it. */
export function SelectionExplainer({ overview, lineId, marked }: PanelPlaces['captionLine']) {
  const host = useHost();
  const { action, run } = useAction();
  const [asked, setAsked] = useState<readonly FacetKind[]>(['meaning']);
  if (marked === null || !overview.actions.some(({ action }) => action === 'explain')) return null;
  const { side, start, text } = marked;
  const explain = (event: Event) => {
    event.preventDefault();
    if (asked.length === 0) return;
    const selection = { side, unit: 'unicode_code_point', start, end: start + [...text].length, text } as const;
    run(async () => {
      await host.captions.explain(overview.runtimeId, {
        lineId,
        selection,
        facetKinds: kinds.filter((each) => asked.includes(each)),
      });
      dispatchEvent(new Event(explained));
    });
  };
  return (
    <form class="explain" aria-label="Explain the selection" onSubmit={explain}>
      <p>
        Explain <bdi>“{text}”</bdi>
      </p>
      <fieldset>
        <legend class="sr">What to explain</legend>
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
      <button type="submit" disabled={asked.length === 0 || action.state === 'busy'}>
        {action.state === 'busy' ? 'Asking the model' : 'Explain'}
      </button>
      <p class="hint">The lines around it go to the hosted model of this host.</p>
      {action.state === 'failed' && <Failed error={action.error} />}
    </form>
  );
}

/** The event of the page after a new explanation: the list then reads all of them again. */
const explained = 'media-study-explained';

/** The explanations of a study, and how to get some. */
export function ExplanationList({ overview }: PanelPlaces['captions']) {
  const host = useHost();
  const { runtimeId, explanations, actions } = overview;
  const { remote, reload } = useRemote(() => host.captions.explanations(runtimeId), [host, runtimeId]);
  useEffect(() => {
    addEventListener(explained, reload);
    return () => removeEventListener(explained, reload);
  }, [host, runtimeId]);
  const mayExplain = actions.some(({ action }) => action === 'explain');
  return (
    <details class="technical">
      <summary>Explanations</summary>
      <p class="quiet">
        {mayExplain ? (
          'Select a part of a text above to have it explained by the hosted model of this host.'
        ) : explanations.causes.length === 0 ? (
          `${sentence(explanations.text)}.`
        ) : (
          <>
            {sentence(whatWords(explanations.causes))}. <Remedies causes={explanations.causes} />
          </>
        )}
      </p>
      <RemotePart of={remote} what="the explanations" onRetry={reload}>
        {(answer) => <Explanations answer={answer} />}
      </RemotePart>
    </details>
  );
}
