import { useState } from 'preact/hooks';
import { connect, tokenOf } from './host/session.ts';
import { useStore } from './host/use-remote.ts';
import { droppedFiles } from './parts/drop-file.tsx';
import { Field } from './parts/field.tsx';

/** What the page shows without a token, or when it was loaded anew: it is in no storage of the browser. */
export function Locked() {
  const [text, setText] = useState('');
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
      <p>
        The host answers only requests that carry its token, and this page does not have it. A page keeps the token in
        memory alone, so it is gone after a reload.
      </p>
      <ol>
        <li>
          Run <code>npm run media-study open</code> to open the console anew, or
        </li>
        <li>
          take the address <code>console</code> from the first line that the host printed, and open it, or
        </li>
        <li>put that address or the token here:</li>
      </ol>
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
