import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../parts/icon.tsx';

/** A key, or several that belong together, and what it does. */
export type KeyWords = readonly (readonly [keys: string, words: string])[];

interface KeysHelpProps {
  readonly groups: readonly (readonly [title: string, keys: KeyWords])[];
}

/** True for a field that takes the keys that a person presses. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input:not([type="range"]), textarea, select') !== null;

/** A button that lists the keys of a view; `?` opens the list, too. */
export function KeysHelp({ groups }: KeysHelpProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== '?' || isTyping(event.target)) return;
      event.preventDefault();
      dialog.current?.showModal();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <IconButton icon="circle-question-mark" label="Keys (?)" onClick={() => dialog.current?.showModal()} />
      <dialog ref={dialog} class="dialog" aria-label="Keys">
        <div class="inspector-head">
          <h2>Keys</h2>
          <IconButton icon="x" label="Close" onClick={() => dialog.current?.close()} />
        </div>
        {groups.map(([title, keys]) => (
          <table key={title}>
            <caption>{title}</caption>
            <tbody>
              {keys.map(([key, words]) => (
                <tr key={key}>
                  <th scope="row">
                    <kbd>{key}</kbd>
                  </th>
                  <td>{words}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </dialog>
    </>
  );
}
