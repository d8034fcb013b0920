import type { LanguageExplanationList } from '../../../contract/explanations/explanation.ts';
import { Badge } from '../parts/badge.tsx';
import { sentence, wordsOf } from '../words/codes.ts';

/** What was explained so far, and the attempts that failed. */
export function Explanations({ answer: { attempts, results } }: { readonly answer: LanguageExplanationList }) {
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
