import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { DrawnChart } from '../../../../contract/lifecycles/charts.ts';
import { ChartCanvas } from './chart-canvas.tsx';
import type { ChartIndex } from './chart-index.ts';
import { ChartOutline } from './chart-outline.tsx';
import { ExportMenu } from './export-menu.tsx';
import { folded, keptOnWay, wayTo } from './folding.ts';
import type { Marks } from './marks.ts';
import { statesWith } from './search.ts';
import { StateCard } from './state-card.tsx';

interface ChartDeskProps {
  readonly drawn: DrawnChart;
  readonly index: ChartIndex;
  readonly marks: Marks;
  /** The transitions that stay when the rest is folded, and the states that stay with them. */
  readonly way: { readonly transitions: readonly string[]; readonly states: readonly string[] };
  /** What the way is, as words after *Only*. */
  readonly wayWords: string;
  readonly inSight?: string | null;
  /** What belongs to this chart here: below the picture, and beside it. */
  readonly below?: ComponentChildren;
  readonly beside?: ComponentChildren;
}

/** A chart with everything to find one's way in it: search, fold, outline, what a state is for, and files of it. */
export function ChartDesk({ drawn, index, marks, way, wayWords, inSight = null, below, beside }: ChartDeskProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  const [isFolded, setFolded] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const found = search.trim() === '' ? null : statesWith(index, search);
  // A chosen state that the way does not pass is led to by the shortest way that there is.
  const kept = useMemo(() => {
    const whole = keptOnWay(index, way.transitions, way.states);
    return chosen === null || whole.states.has(chosen) ? whole : keptOnWay(index, wayTo(index, chosen), [chosen]);
  }, [index, way, chosen]);
  const drawing = useMemo(() => (isFolded ? folded(drawn.drawing, kept) : drawn.drawing), [drawn, isFolded, kept]);
  const shownMarks = useMemo(() => (found === null ? marks : withFound(marks, found)), [marks, search, index]);
  const press = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
    if (event.key === '/') field.current?.focus();
    else if (event.key === 'f') setFolded((before) => !before);
    else return;
    event.preventDefault();
  };
  return (
    <div class="chart-desk" onKeyDown={press}>
      <div class="chart-side-main">
        <ChartCanvas
          drawing={drawing}
          marks={shownMarks}
          chosen={chosen}
          onChoose={setChosen}
          inSight={found?.[0] ?? (chosen === null ? inSight : chosen)}
        >
          <button type="button" aria-pressed={isFolded} onClick={() => setFolded(!isFolded)}>
            Only {wayWords}
          </button>
        </ChartCanvas>
        {below}
        <ExportMenu drawn={{ ...drawn, drawing }} />
      </div>
      <div class="chart-side">
        {beside}
        {chosen !== null && <StateCard index={index} stateId={chosen} onChoose={setChosen} />}
        <section aria-label="All states">
          <input
            ref={field}
            type="search"
            aria-label="Search the chart"
            placeholder="Search states, events, guards, effects"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          {found !== null && <p class="hint">{found.length === 1 ? 'One state' : `${found.length} states`}</p>}
          <ChartOutline index={index} chosen={chosen} onChoose={setChosen} found={found} marks={marks} />
        </section>
      </div>
    </div>
  );
}

const withFound = (marks: Marks, found: readonly string[]): Marks => ({
  ...marks,
  states: new Map([...marks.states, ...found.map((id) => [id, `${marks.states.get(id) ?? ''} found`.trim()] as const)]),
});
