import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useAction } from '../host/use-remote.ts';
import { clockTime, parsedTimeCode } from '../words/numbers.ts';
import { Failed } from './notice.tsx';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly children: (id: string) => ComponentChildren;
}

/** A label above its input, with a remark below it. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly placeholder?: string;
  readonly isMono?: boolean;
}

export function TextField({ label, hint, value, onValue, placeholder, isMono = false }: TextFieldProps) {
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(id) => (
        <input
          id={id}
          class={isMono ? 'mono' : ''}
          value={value}
          placeholder={placeholder}
          spellcheck={false}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface ModelFieldProps {
  readonly models: readonly string[];
  readonly model: string;
  readonly onModel: (model: string) => void;
}

/** The model of an engine; nothing if there is only one. */
export const ModelField = ({ models, model, onModel }: ModelFieldProps) =>
  models.length < 2 ? null : (
    <Field label="Model">
      {(id) => (
        <select id={id} value={model} onChange={({ currentTarget }) => onModel(currentTarget.value)}>
          {models.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
    </Field>
  );

interface ChoiceProps {
  /** The group that it is one of. */
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** One of several, with its meaning. */
export const Choice = ({ name, isChosen, onChoose, title, children }: ChoiceProps) => (
  <label class="choice-option">
    <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
    <span>
      <strong>{title}</strong>
      <span class="quiet">{children}</span>
    </span>
  </label>
);

interface AgreeProps {
  readonly isTicked: boolean;
  readonly onTick: (isTicked: boolean) => void;
  readonly children: ComponentChildren;
}

/** Words that a person must tick. */
export function Agree({ isTicked, onTick, children }: AgreeProps) {
  return (
    <label class="agree">
      <input type="checkbox" checked={isTicked} onChange={({ currentTarget }) => onTick(currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}

interface CountedFieldProps {
  readonly label: string;
  readonly value: string;
  /** The most code points that the host takes. */
  readonly most: number;
  readonly onValue: (value: string) => void;
}

/** A count is of use near the limit alone. */
const countedFrom = 0.7;

/** A line that counts what is typed. It cuts nothing: who pastes too much decides what goes. */
export function CountedField({ label, value, most, onValue }: CountedFieldProps) {
  const countId = useId();
  const excess = excessOf(value, most);
  return (
    <Field label={label}>
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
          <p id={countId} class={excess > 0 ? 'hint bad-text' : 'hint'} hidden={lengthOf(value) < most * countedFrom}>
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

interface TimeFieldProps {
  readonly label: string;
  readonly ms: number;
  readonly onMs: (ms: number) => void;
}

/** A time code that a person can type. When the field loses the focus, an invalid time code reverts. */
export function TimeField({ label, ms, onMs }: TimeFieldProps) {
  const [text, setText] = useState(clockTime(ms));
  useEffect(() => setText(clockTime(ms)), [ms]);
  const leave = () => {
    const parsed = parsedTimeCode(text);
    // A field that is only passed by changes nothing: an editor would undo that as a step.
    if (parsed !== null && parsed !== ms) onMs(parsed);
    setText(clockTime(ms));
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

interface TypedConfirmationProps {
  /** The consequences, and that they cannot be undone. */
  readonly text: string;
  /** The word that the person types to confirm. */
  readonly word: string;
  readonly button: string;
  readonly onConfirm: () => Promise<void>;
  readonly onLeave: () => void;
}

/** Something that cannot be undone: the person types a word before the button works. */
export function TypedConfirmation({ text, word, button, onConfirm, onLeave }: TypedConfirmationProps) {
  const { action, run } = useAction();
  const [typed, setTyped] = useState('');
  const isSure = isTyped(typed, word);
  const act = (event: Event) => {
    event.preventDefault();
    if (isSure) run(onConfirm);
  };
  return (
    <form class="typed-confirmation" aria-label={button} onSubmit={act}>
      <p>{text}</p>
      <TextField label={`Type “${word}” to continue`} value={typed} onValue={setTyped} />
      <div class="actions">
        <button type="submit" class="danger" disabled={!isSure || action.state === 'busy'}>
          {button}
        </button>
        <button type="button" onClick={onLeave}>
          Keep it
        </button>
      </div>
      {action.state === 'failed' && <Failed error={action.error} />}
    </form>
  );
}

/** A page draws any run of white space as one space, and both Unicode forms of a letter alike; a person types either. */
const asDrawn = (text: string): string => text.normalize('NFC').trim().replaceAll(/\s+/g, ' ');

/** True if a person typed the words that a page shows. */
export const isTyped = (typed: string, words: string): boolean => asDrawn(typed) === asDrawn(words);

/** The length of a text as the host counts it: in code points, without the space around it. */
const lengthOf = (text: string): number => [...text.trim()].length;

/** By how much a text is longer than the host takes; 0 if it is not. */
export const excessOf = (text: string, most: number): number => Math.max(0, lengthOf(text) - most);
