import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { StudyHost } from '../../client/study-host.ts';
import { useHost } from '../host/session.ts';
import { useAction, useRemote } from '../host/use-remote.ts';
import { TextField } from '../parts/field.tsx';
import { Failed } from '../parts/notice.tsx';

/** The one reviewer of a host, as a decision names it. */
interface NamedReviewer {
  readonly id: string;
  readonly label: string;
}

/** The setting that has the name of the reviewer. */
const nameSetting = 'reviewer-label';

/** True if the reviewer has the name that the program came with. */
async function isUnnamed({ settings }: Pick<StudyHost, 'settings'>): Promise<boolean> {
  const { settings: rows } = await settings.read();
  return rows.some(({ name, value, next }) => name === nameSetting && value === null && next === null);
}

/** Gives the reviewer of a host a name, from now on. Throws if the host takes it only after a restart. */
export async function nameReviewer({ settings }: Pick<StudyHost, 'settings'>, name: string): Promise<void> {
  const { afterRestart } = await settings.change({ set: { [nameSetting]: name } });
  if (afterRestart.includes(nameSetting)) {
    throw new Error('Your name is saved, and counts after a restart of the host: restart it in Operations');
  }
}

interface SignDialogProps {
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
 * The signature of a person: their name, the statement below it, and one button. The page asks for the name once, and every later
 * signature on this host has it. The request has the whole statement.
 */
export function SignDialog({ reviewer, statement, button, isReady, onSigned, children }: SignDialogProps) {
  const host = useHost();
  const { action, run } = useAction();
  const { remote } = useRemote(() => isUnnamed(host), [host]);
  const [isRenaming, setRenaming] = useState(false);
  const [typed, setTyped] = useState('');
  const statementId = useId();
  const isAsked = isRenaming || (remote.state === 'ready' && remote.value);
  const name = typed.trim();
  const shown = isAsked ? name : reviewer.label;
  const mayGo = isReady && shown !== '' && remote.state !== 'loading' && action.state !== 'busy';
  const sign = (event: Event) => {
    event.preventDefault();
    if (!mayGo) return;
    run(async () => {
      if (isAsked && name !== reviewer.label) await nameReviewer(host, name);
      await onSigned({ reviewerId: reviewer.id, attestation: statement });
    });
  };
  return (
    <form class="sign-dialog" aria-describedby={statementId} aria-label={button} onSubmit={sign}>
      {isAsked && (
        <TextField
          label="Your name"
          hint="Asked once. It is in each record that you sign on this computer."
          value={typed}
          onValue={setTyped}
        />
      )}
      <p id={statementId} class="statement">
        <strong>{shown === '' ? 'Your name' : shown}:</strong> {statement}
      </p>
      <div class="actions">
        <button type="submit" class="primary" disabled={!mayGo}>
          {button}
        </button>
        {children}
        {!isAsked && (
          <button
            type="button"
            class="link"
            onClick={() => {
              setTyped(reviewer.label);
              setRenaming(true);
            }}
          >
            Not {reviewer.label}?
          </button>
        )}
      </div>
      {action.state === 'failed' && <Failed error={action.error} />}
    </form>
  );
}
