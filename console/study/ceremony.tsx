import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useAction } from '../host/use-remote.ts';
import { isTyped, TextField } from '../parts/field.tsx';
import { Failed } from '../parts/notice.tsx';

/** The one reviewer of a host, as a decision names it. */
interface NamedReviewer {
  readonly id: string;
  readonly label: string;
}

/** True if a person signed as at the terminal: the word `yes`, and the name of the reviewer, in any case of its letters. */
export const isSigned = (yes: string, name: string, { label }: NamedReviewer): boolean =>
  yes.trim().toLowerCase() === 'yes' && isTyped(name.toLowerCase(), label.toLowerCase());

/** True if what a person has typed so far can become the name. */
const isBegun = (name: string, { label }: NamedReviewer): boolean => {
  const [typed, whole] = [name.normalize('NFC').trim(), label.normalize('NFC')];
  return isTyped(whole.slice(0, typed.length).toLowerCase(), typed.toLowerCase());
};

interface CeremonyProps {
  readonly reviewer: NamedReviewer;
  /** The statement that the person signs; the request contains it word for word. */
  readonly statement: string;
  readonly button: string;
  /** True if all else that the form asks for is there. */
  readonly isReady: boolean;
  readonly onSigned: (by: { readonly reviewerId: string; readonly attestation: string }) => Promise<void>;
  /** The content beside the button, such as a way out. */
  readonly children?: ComponentChildren;
}

/**
 * The signature of a person, as at the terminal. The page shows the statement, and the person types `yes` and the name of the
 * reviewer. The request has the whole statement. Nothing is filled in.
 */
export function Ceremony({ reviewer, statement, button, isReady, onSigned, children }: CeremonyProps) {
  const { action, run } = useAction();
  const [yes, setYes] = useState('');
  const [name, setName] = useState('');
  const statementId = useId();
  const mayGo = isReady && isSigned(yes, name, reviewer) && action.state !== 'busy';
  const sign = (event: Event) => {
    event.preventDefault();
    if (mayGo) run(() => onSigned({ reviewerId: reviewer.id, attestation: statement }));
  };
  return (
    <form class="ceremony" aria-describedby={statementId} aria-label={button} onSubmit={sign}>
      <p id={statementId} class="statement">
        <span class="quiet">{reviewer.label}:</span> {statement}
      </p>
      <div class="pair">
        <TextField label="Type yes to attest this" value={yes} onValue={setYes} />
        <TextField label={`Type ${reviewer.label} to sign`} value={name} onValue={setName} />
      </div>
      <p class="hint" aria-live="polite">
        {!isBegun(name, reviewer)
          ? `Type the name as it is shown: ${reviewer.label}`
          : isSigned(yes, name, reviewer) && !isReady
            ? 'The form above is not complete yet.'
            : ''}
      </p>
      <div class="actions">
        <button type="submit" class="primary" disabled={!mayGo}>
          {button}
        </button>
        {children}
      </div>
      {action.state === 'failed' && <Failed error={action.error} />}
    </form>
  );
}
