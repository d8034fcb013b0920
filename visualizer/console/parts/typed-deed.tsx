import { useState } from 'preact/hooks';
import { useDeed } from '../host/use-deed.ts';
import { isTyped } from '../words/typed.ts';
import { TextField } from './field.tsx';
import { Failed } from './notice.tsx';

interface TypedDeedProps {
  /** What happens, and that it cannot be undone. */
  readonly text: string;
  /** What the person types, so that no slip of the hand is enough. */
  readonly word: string;
  readonly button: string;
  readonly onDeed: () => Promise<void>;
  readonly onLeave: () => void;
}

/** Something that cannot be undone: the person types a word before the button works. */
export function TypedDeed({ text, word, button, onDeed, onLeave }: TypedDeedProps) {
  const { deed, run } = useDeed();
  const [typed, setTyped] = useState('');
  const isSure = isTyped(typed, word);
  const act = (event: Event) => {
    event.preventDefault();
    if (isSure) run(onDeed);
  };
  return (
    <form class="typed-deed" aria-label={button} onSubmit={act}>
      <p>{text}</p>
      <TextField label={`Type “${word}” to go on`} value={typed} onValue={setTyped} />
      <div class="deeds">
        <button type="submit" class="danger" disabled={!isSure || deed.state === 'busy'}>
          {button}
        </button>
        <button type="button" onClick={onLeave}>
          Keep it
        </button>
      </div>
      {deed.state === 'failed' && <Failed error={deed.error} />}
    </form>
  );
}
