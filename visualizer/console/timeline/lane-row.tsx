import { useMemo } from 'preact/hooks';
import type { Stretch } from '../parts/ticks.ts';
import { Backdrop } from './backdrop.tsx';
import { drawnMarks, longestOf } from './drawn-marks.ts';
import { placedWords } from './fact-words.ts';
import type { Lane, Mark } from './lanes.ts';

interface LaneRowProps {
  readonly runtimeId: string;
  readonly lane: Lane;
  readonly view: Stretch;
  readonly width: number;
  readonly chosenKey: string | null;
  /** The one mark of the whole timeline that Tab reaches; arrow keys lead on from it. */
  readonly entryKey: string | null;
  readonly onChoose: (mark: Mark) => void;
  readonly onHover: (mark: Mark | null) => void;
  readonly onSide: (mark: Mark, by: 1 | -1) => void;
  readonly onLane: (mark: Mark, by: 1 | -1) => void;
}

const readableWidth = 28;

export function LaneRow(props: LaneRowProps) {
  const { runtimeId, lane, view, width, chosenKey, entryKey, onChoose, onHover, onSide, onLane } = props;
  const longest = useMemo(() => longestOf(lane.marks), [lane]);
  const press = (mark: Mark) => (event: KeyboardEvent) => {
    const deeds: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => onSide(mark, -1),
      ArrowRight: () => onSide(mark, 1),
      ArrowUp: () => onLane(mark, -1),
      ArrowDown: () => onLane(mark, 1),
    };
    const deed = deeds[event.key];
    if (deed === undefined) return;
    event.preventDefault();
    deed();
  };
  return (
    <div class="lane" role="group" aria-label={lane.title}>
      <span class="lane-name" title={lane.title}>
        {lane.title}
      </span>
      <div class="track" data-absence={lane.absence?.kind} data-backdrop={lane.backdrop ?? undefined}>
        <Backdrop lane={lane} runtimeId={runtimeId} view={view} width={width} />
        {lane.absence !== null && <span class="absence">{lane.absence.words}</span>}
        {drawnMarks(lane.marks, longest, view, width).map(({ mark, left, width: own, count }) => (
          <button
            type="button"
            key={mark.key}
            class={`mark ${mark.tone}`}
            data-key={mark.key}
            data-claim={mark.claimState ?? undefined}
            data-many={count > 1 ? count : undefined}
            aria-pressed={mark.key === chosenKey}
            aria-label={placedWords(count > 1 ? `${count} facts from: ${mark.words}` : mark.words, mark)}
            tabIndex={mark.key === entryKey ? 0 : -1}
            style={{ left: `${left}px`, width: `${own}px` }}
            onClick={() => onChoose(mark)}
            onFocus={() => onHover(mark)}
            onMouseEnter={() => onHover(mark)}
            onKeyDown={press(mark)}
          >
            {own > readableWidth && lane.backdrop === null && <MarkWords mark={mark} left={left} />}
          </button>
        ))}
      </div>
    </div>
  );
}

/** The words of a mark, moved so that they stay in sight where its start is not. */
const MarkWords = ({ mark, left }: { readonly mark: Mark; readonly left: number }) => (
  <span class="mark-words" style={{ marginLeft: `${Math.max(0, -left)}px` }}>
    {mark.words}
  </span>
);
