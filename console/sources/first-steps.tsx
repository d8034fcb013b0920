import type { LibrarySource } from '../../contract/library.ts';
import { addressOf } from '../host/route.ts';
import { FeaturePanels } from '../parts/feature-panels.tsx';
import { wayWords } from '../study/stepper.tsx';
import { duration } from '../words/numbers.ts';
import { AddFile, AddVideo } from './add-source.tsx';

/** The way from a film to captions, in the words of the steps of a study. */
export const firstSteps: readonly (readonly [name: string, text: string])[] = [
  ['Add', 'Drop a film, an interview or a recording. A copy of it stays on this computer.'],
  [wayWords.decision, 'Speech, cuts, subtitles and languages are found, with the evidence for each.'],
  [wayWords.review, 'You look at the lines and sign with your name.'],
  [wayWords.captions, 'They are made, checked, and ready to download for your player or editor.'],
];

/** The first view of a new host: a place for the first file, the four steps, and the sample. */
export function FirstSteps({
  samples,
}: {
  readonly samples: readonly Pick<LibrarySource, 'sourceSessionId' | 'label' | 'durationMs'>[];
}) {
  return (
    <div class="page first">
      <h1>Captions for your films, checked and signed</h1>
      <AddFile isLarge />
      {samples.map(({ sourceSessionId, label, durationMs }) => (
        <p key={sourceSessionId} class="first-sample">
          <span class="quiet">No file at hand?</span>{' '}
          <a class="button" href={addressOf({ view: 'new-study', sourceSessionId })}>
            Try {label}, {duration(durationMs)}
          </a>
        </p>
      ))}
      <ol class="first-steps" aria-label="The four steps">
        {firstSteps.map(([name, text], at) => (
          <li key={name}>
            <span class="first-number" aria-hidden="true">
              {at + 1}
            </span>
            <div>
              <h2>{name}</h2>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ol>
      <FeaturePanels place="firstSteps" given={{}} />
      <details class="panel">
        <summary>Or give the address of a video</summary>
        <AddVideo />
      </details>
    </div>
  );
}
