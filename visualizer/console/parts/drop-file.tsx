import { useEffect, useId, useRef } from 'preact/hooks';
import { dropped, type TakeFiles, takeDropped } from '../host/dropped.ts';
import { useStore } from '../host/use-store.ts';

interface DropFileProps {
  /** What is done with a file, as a verb. */
  readonly words: string;
  readonly accept: string;
  /** Whether several files are taken at once. */
  readonly isMany?: boolean;
  readonly onFiles: TakeFiles;
}

/** Takes files: dropped anywhere on the page, or chosen. */
export function DropFile({ words, accept, isMany = false, onFiles }: DropFileProps) {
  const id = useId();
  const isOver = useStore(dropped, (context) => context.isOver);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => takeDropped((files) => latest.current(files)), []);
  return (
    <div class="drop" data-over={isOver}>
      <label for={id}>
        {isOver
          ? `Let go to ${words} ${isMany ? 'what you hold' : 'this file'}`
          : isMany
            ? 'Drop files anywhere, or choose some'
            : 'Drop a file anywhere, or choose one'}
      </label>
      <input
        id={id}
        type="file"
        multiple={isMany}
        accept={accept}
        onChange={({ currentTarget }) => {
          const chosen = [...(currentTarget.files ?? [])];
          if (chosen.length > 0) onFiles(chosen);
        }}
      />
    </div>
  );
}
