import { useEffect, useState } from 'preact/hooks';
import { parsedTimeCode, timeCode } from '../words/time-code.ts';
import { Field } from './field.tsx';

interface TimeFieldProps {
  readonly label: string;
  readonly ms: number;
  readonly onMs: (ms: number) => void;
}

/** A time code that can be typed. What is no time code is put back when the field is left. */
export function TimeField({ label, ms, onMs }: TimeFieldProps) {
  const [text, setText] = useState(timeCode(ms));
  useEffect(() => setText(timeCode(ms)), [ms]);
  const leave = () => {
    const parsed = parsedTimeCode(text);
    if (parsed !== null) onMs(parsed);
    setText(timeCode(ms));
  };
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          class="mono time"
          value={text}
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onBlur={leave}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            leave();
          }}
        />
      )}
    </Field>
  );
}
