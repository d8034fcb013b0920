import { useEffect, useId, useRef, useState } from 'preact/hooks';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** A file that is dropped anywhere on the page, and whether one is held over it. */
function useDroppedFile(onFile: (file: File) => void): boolean {
  const latest = useRef(onFile);
  latest.current = onFile;
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? [];
      setOver(false);
      if (file === undefined) return;
      event.preventDefault();
      latest.current(file);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

interface DropFileProps {
  /** What is done with the file, as a verb. */
  readonly words: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}

/** Takes one file: dropped anywhere on the page, or chosen. */
export function DropFile({ words, accept, onFile }: DropFileProps) {
  const id = useId();
  const isOver = useDroppedFile(onFile);
  return (
    <div class="drop" data-over={isOver}>
      <label for={id}>{isOver ? `Let go to ${words} this file` : 'Drop a file anywhere, or choose one'}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? [];
          if (chosen !== undefined) onFile(chosen);
        }}
      />
    </div>
  );
}
