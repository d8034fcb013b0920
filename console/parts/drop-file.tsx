import { createStore } from '@xstate/store';
import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../host/use-remote.ts';

interface Dropped {
  /** True if a file is held over the page. */
  readonly isOver: boolean;
  /** Files that no view has taken so far. */
  readonly waiting: readonly File[];
}

/** Files that are dropped anywhere on the page. They wait here where the view that is shown takes none. */
export const droppedFiles = createStore({
  context: { isOver: false, waiting: [] } as Dropped,
  on: {
    held: (context, { isOver }: { isOver: boolean }) => ({ ...context, isOver }),
    left: ({ waiting }, { files }: { files: readonly File[] }) => ({ isOver: false, waiting: [...waiting, ...files] }),
    taken: (context) => ({ ...context, waiting: [] }),
  },
});

type TakeFiles = (files: readonly File[]) => void;

/** The functions that take dropped files; the newest one is in use. */
const takers: TakeFiles[] = [];

/** Takes dropped files until the returned function is called. */
export function takeDropped(take: TakeFiles): () => void {
  takers.push(take);
  return () => {
    takers.splice(takers.lastIndexOf(take), 1);
  };
}

/** The part of a drag that counts here. */
interface Drag {
  readonly target: unknown;
  readonly relatedTarget: unknown;
  readonly dataTransfer: {
    readonly types: readonly string[];
    readonly files: ArrayLike<File>;
    readonly items: { readonly length: number };
  } | null;
  preventDefault(): void;
}

interface DropPage {
  addEventListener(type: 'dragover' | 'dragleave' | 'drop', listener: (event: Drag) => void): void;
}

interface Field {
  closest(selector: string): { matches(selector: string): boolean } | null;
}

/** A drag of files or links, as browsers describe it. Without care, both would replace the page. */
const wouldLeave = ({ dataTransfer }: Drag): boolean =>
  dataTransfer?.types.some((type) => type === 'Files' || type === 'text/uri-list') ?? false;

/** True if the browser itself gives what is dropped to the field below it. A field for one file takes no more. */
function isForField({ target, dataTransfer }: Drag): boolean {
  const field = (target as Partial<Field> | null)?.closest?.('input:not(.drop input), textarea') ?? null;
  if (field === null || dataTransfer === null) return false;
  const isOfFiles = dataTransfer.types.includes('Files');
  return field.matches('[type="file"]') === isOfFiles && !(isOfFiles && dataTransfer.items.length > 1);
}

/**
 * Keeps the page when a person drops a file or a link on it. A browser would open that instead, and the page would lose its
 * token. Files go to the view that takes some; without one, `lead` opens the view that will.
 */
export function keepFromDrops(page: DropPage, lead: () => void): void {
  page.addEventListener('dragover', (event) => {
    if (isForField(event) || !wouldLeave(event)) return;
    event.preventDefault();
    if (event.dataTransfer?.types.includes('Files')) droppedFiles.send({ type: 'held', isOver: true });
  });
  page.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) droppedFiles.send({ type: 'held', isOver: false });
  });
  page.addEventListener('drop', (event) => {
    droppedFiles.send({ type: 'held', isOver: false });
    const files = Array.from(event.dataTransfer?.files ?? []);
    if (isForField(event) || (files.length === 0 && !wouldLeave(event))) return;
    event.preventDefault();
    if (files.length === 0) return;
    const take = takers.at(-1);
    if (take !== undefined) return take(files);
    droppedFiles.send({ type: 'left', files });
    lead();
  });
}

interface DropFileProps {
  /** The verb for the action on a file. */
  readonly words: string;
  readonly accept: string;
  /** True if several files are taken at once. */
  readonly isMany?: boolean;
  /** True if it is what the view is for. */
  readonly isLarge?: boolean;
  readonly onFiles: TakeFiles;
}

/** Takes files: dropped anywhere on the page, or chosen. */
export function DropFile({ words, accept, isMany = false, isLarge = false, onFiles }: DropFileProps) {
  const isOver = useStore(droppedFiles, (context) => context.isOver);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => takeDropped((files) => latest.current(files)), []);
  return (
    <div class="drop" data-over={isOver} data-large={isLarge}>
      <p class="drop-words">
        {isOver
          ? `Let go to ${words} ${isMany ? 'what you hold' : 'this file'}`
          : isMany
            ? 'Drop films or recordings anywhere on this page'
            : 'Drop a file anywhere on this page'}
      </p>
      <label class={isLarge ? 'button primary' : 'button'}>
        {isMany ? 'Choose films or recordings' : 'Choose a file'}
        <input
          class="sr"
          type="file"
          multiple={isMany}
          accept={accept}
          onChange={({ currentTarget }) => {
            const chosen = [...(currentTarget.files ?? [])];
            if (chosen.length > 0) onFiles(chosen);
          }}
        />
      </label>
    </div>
  );
}

/** The longest label that the host takes, in UTF-16 units. */
const longest = 160;

/** The label that a file begins with: as much of a text as the host takes, without half a character at its end. */
export const fileLabel = (text: string): string =>
  text
    .slice(0, longest)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
