import type { JournalEvent } from '../../../contract/journal.ts';
import type { Playback } from '../player/playback.ts';
import type { Mark, Subject } from '../timeline/lanes.ts';
import { sentence } from '../words/codes.ts';
import { rangeCode } from '../words/time-code.ts';
import { ClaimReceipt } from './claim-receipt.tsx';
import { FactReceipt } from './fact-receipt.tsx';
import { WhereItStands } from './overview-words.tsx';
import type { Study } from './study-model.ts';

interface InspectorProps {
  readonly chosen: Mark | null;
  readonly study: Study;
  readonly events: readonly JournalEvent[];
  readonly control: Playback;
  readonly onOpen: (subject: Subject) => void;
}

/** What was chosen on the timeline: what it says, what it rests on, what rests on it, and a way to check that here. */
export function Inspector({ chosen, study, events, control, onOpen }: InspectorProps) {
  if (chosen === null) {
    return (
      <section class="inspector" aria-label="Chosen fact">
        <WhereItStands overview={study.overview} />
        <p class="quiet">
          Choose a mark on the timeline to see its receipt and its citations, and to verify them here. The keys J, K and
          L shuttle, comma and full stop step a frame.
        </p>
      </section>
    );
  }
  const { subject, words, startMs, endMs } = chosen;
  return (
    <section class="inspector" aria-label="Chosen fact" aria-live="polite">
      <p class="overline">{subject.kind === 'claim' ? 'Claim' : subject.title}</p>
      <h2 class="chosen-words">{sentence(words)}</h2>
      <p class="mono">{rangeCode(startMs, endMs)}</p>
      <div class="deeds">
        <button type="button" onClick={() => control.seek(startMs)}>
          Go there
        </button>
        {endMs > startMs && (
          <button type="button" onClick={() => control.loopOver({ startMs, endMs })}>
            Loop
          </button>
        )}
      </div>
      {subject.kind === 'fact' ? (
        <FactReceipt subject={subject} study={study} events={events} onOpen={onOpen} />
      ) : (
        <ClaimReceipt subject={subject} study={study} events={events} onOpen={onOpen} />
      )}
    </section>
  );
}
