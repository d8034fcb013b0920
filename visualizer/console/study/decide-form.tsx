import { useId, useState } from 'preact/hooks';
import { longestNote } from '../../../contract/base/longest-note.ts';
import { useDeed } from '../host/use-deed.ts';
import { CountedField } from '../parts/counted-field.tsx';
import { Agree, Field } from '../parts/field.tsx';
import { Failed } from '../parts/notice.tsx';
import { sentence, wordsOf } from '../words/codes.ts';
import { excessOf } from '../words/excess.ts';

export interface Decided<Reason extends string> {
  readonly reasons: readonly Reason[];
  readonly note: string | null;
  /** As the person typed it. */
  readonly attestation: string;
}

interface DecideFormProps<Reason extends string> {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  /** The words that the person must type. */
  readonly statement: string;
  /** The reasons to choose from; empty where there is only one. */
  readonly reasons: readonly Reason[];
  readonly onDecide: (decided: Decided<Reason>) => Promise<void>;
}

/** A decision that a person signs by typing the statement: it is never filled in. */
export function DecideForm<Reason extends string>({
  title,
  text,
  button,
  statement,
  reasons,
  onDecide,
}: DecideFormProps<Reason>) {
  const { deed, run } = useDeed();
  const [chosen, setChosen] = useState<readonly Reason[]>([]);
  const [note, setNote] = useState('');
  const [typed, setTyped] = useState('');
  const statementId = useId();
  const isSigned = typed.trim() === statement;
  const isReady = isSigned && (reasons.length === 0 || chosen.length > 0) && excessOf(note, longestNote) === 0;
  const decide = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    run(() =>
      onDecide({
        reasons: reasons.filter((each) => chosen.includes(each)),
        note: note.trim() === '' ? null : note.trim(),
        attestation: typed.trim(),
      }),
    );
  };
  return (
    <form class="panel" aria-label={title} onSubmit={decide}>
      <h2>{title}</h2>
      <p>{text}</p>
      {reasons.length > 0 && (
        <fieldset>
          <legend>Reasons</legend>
          {reasons.map((each) => (
            <Agree
              key={each}
              isTicked={chosen.includes(each)}
              onTick={(isTicked) => setChosen(isTicked ? [...chosen, each] : chosen.filter((other) => other !== each))}
            >
              {sentence(wordsOf(each))}
            </Agree>
          ))}
        </fieldset>
      )}
      <CountedField label="Note" hint="May be empty; one line." value={note} most={longestNote} onValue={setNote} />
      <p id={statementId} class="statement">
        {statement}
      </p>
      <Field label="Type this statement to sign">
        {(id) => (
          <input
            id={id}
            value={typed}
            autocomplete="off"
            spellcheck={false}
            aria-describedby={statementId}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
      {typed !== '' && !isSigned && (
        <p class="hint">{statement.startsWith(typed) ? 'Go on.' : 'The words differ from the statement.'}</p>
      )}
      <button type="submit" class="primary" disabled={!isReady || deed.state === 'busy'}>
        {button}
      </button>
      {deed.state === 'failed' && <Failed error={deed.error} />}
    </form>
  );
}
