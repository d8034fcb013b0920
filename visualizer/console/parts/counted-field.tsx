import { useId } from 'preact/hooks';
import { excessOf, lengthOf } from '../words/excess.ts';
import { Field } from './field.tsx';

interface CountedFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  /** The most code points that the host takes. */
  readonly most: number;
  readonly onValue: (value: string) => void;
}

/** A line that counts what is typed. It cuts nothing: who pastes too much decides what goes. */
export function CountedField({ label, hint, value, most, onValue }: CountedFieldProps) {
  const countId = useId();
  const excess = excessOf(value, most);
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <>
          <input
            id={id}
            value={value}
            spellcheck={false}
            aria-invalid={excess > 0}
            aria-describedby={countId}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
          <p id={countId} class={excess > 0 ? 'hint bad-text' : 'hint'}>
            {lengthOf(value)} of {most} characters{excess > 0 && `, ${excess} too many`}
          </p>
          {/* Said once when it gets too long, and not with each key. */}
          <span class="sr" role="status">
            {excess > 0 && `${label}: longer than ${most} characters`}
          </span>
        </>
      )}
    </Field>
  );
}
