import { useState } from 'preact/hooks';
import { connect, session, tokenOf } from './host/session.ts';
import { useStore } from './host/use-remote.ts';
import { droppedFiles } from './parts/drop-file.tsx';
import { Field } from './parts/field.tsx';
import { Notice, TypedCommand } from './parts/notice.tsx';

/** The page without a token, or after the host that gave it one has ended. */
export function Locked() {
  const [text, setText] = useState('');
  const isRefused = useStore(session, (context) => context.isRefused);
  const waiting = useStore(droppedFiles, (context) => context.waiting);
  const open = (event: Event) => {
    event.preventDefault();
    const given = text.trim();
    const hash = given.includes('#') ? given.slice(given.indexOf('#')) : '';
    connect(tokenOf(hash) ?? given);
  };
  return (
    <div class="page narrow">
      <h1>The console is locked</h1>
      {isRefused ? (
        <Notice kind="failed" title="The host does not accept this token">
          It is not the token of this host, or the host has restarted since.
        </Notice>
      ) : (
        <p>This page needs the token of the host: it was opened without one, or the host has restarted.</p>
      )}
      <p>
        Run <TypedCommand words="open" />, or paste the address that the host printed as <code>console</code>:
      </p>
      <form class="row-form" onSubmit={open}>
        <Field label="Address or token">
          {(id) => (
            <input
              id={id}
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="primary" disabled={text.trim() === ''}>
          Unlock
        </button>
      </form>
      {waiting.length > 0 && (
        <p role="status">
          The {waiting.length === 1 ? 'file' : 'files'} that you dropped can be added once the page is unlocked.
        </p>
      )}
    </div>
  );
}
