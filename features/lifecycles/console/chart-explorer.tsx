import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Facts } from '../../../console/parts/facts.tsx';
import type { ChartState, ChartTransition, DrawnChart } from '../../../contract/lifecycles/charts.ts';
import type { Marks } from '../../../visualizer/drawing/svg.ts';
import { ChartCanvas } from './chart-canvas.tsx';
import { type ChartIndex, shortName } from './chart-index.ts';
import { ExportMenu } from './export-menu.tsx';
import { folded, keptOnWay, wayTo } from './folding.ts';

interface ChartExplorerProps {
  readonly drawn: DrawnChart;
  readonly index: ChartIndex;
  readonly marks: Marks;
  /** The transitions that stay when the rest is folded, and the states that stay with them. */
  readonly way: { readonly transitions: readonly string[]; readonly states: readonly string[] };
  /** The name of the path, as words after *Only*. */
  readonly wayWords: string;
  readonly inSight?: string | null;
  /** The views of this chart: below the picture, and beside it. */
  readonly below?: ComponentChildren;
  readonly beside?: ComponentChildren;
}

/** A chart with everything to find one's way in it: search, fold, outline, what a state is for, and files of it. */
export function ChartExplorer({
  drawn,
  index,
  marks,
  way,
  wayWords,
  inSight = null,
  below,
  beside,
}: ChartExplorerProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  const [isFolded, setFolded] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLElement>(null);
  /** The element that had the focus before the search opened. */
  const before = useRef<Element | null>(null);
  const found = search.trim() === '' ? null : statesWith(index, search);
  // A chosen state that the way does not pass is led to by the shortest way that there is.
  const kept = useMemo(() => {
    const whole = keptOnWay(index, way.transitions, way.states);
    return chosen === null || whole.states.has(chosen) ? whole : keptOnWay(index, wayTo(index, chosen), [chosen]);
  }, [index, way, chosen]);
  const drawing = useMemo(() => (isFolded ? folded(drawn.drawing, kept) : drawn.drawing), [drawn, isFolded, kept]);
  const shownMarks = useMemo(() => (found === null ? marks : withFound(marks, found)), [marks, search, index]);
  // From anywhere on the page but from where a person writes.
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isWriting = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/') {
        before.current = document.activeElement;
        field.current?.focus();
      } else if (event.key === 'Escape') setChosen(null);
      else if (event.key === 'f') setFolded((isNow) => !isNow);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  // The details of a chosen state take room above the list, so the focused row is scrolled into view.
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (list.current?.contains(activeElement)) activeElement?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  // From the search the focus moves to a result, or back to the element that had it before.
  const searched: Readonly<Record<string, () => void>> = {
    ArrowDown: () => list.current?.querySelector('button')?.focus(),
    Enter: () => setChosen(found?.[0] ?? chosen),
    Escape: () => {
      setSearch('');
      if (before.current instanceof HTMLElement) before.current.focus();
    },
  };
  return (
    <div class="chart-explorer">
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
        <div aria-live="polite">
          {chosen !== null && <StateCard index={index} stateId={chosen} onChoose={setChosen} />}
        </div>
        <section ref={list} aria-label="All states">
          <input
            ref={field}
            type="search"
            aria-label="Search the chart"
            placeholder="Search states, events, guards, effects"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            onKeyDown={(event) => {
              const act = searched[event.key];
              if (act === undefined) return;
              event.preventDefault();
              act();
            }}
          />
          <p class="hint" role="status">
            {found !== null && (found.length === 1 ? 'One state' : `${found.length} states`)}
          </p>
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

/** One list as one stop of the Tab key: arrows, Home and End go through its buttons. */
export function useArrowKeys(count: number) {
  const [reached, setReached] = useState(0);
  const entry = Math.min(reached, count - 1);
  return {
    tabIndex: (at: number): number => (at === entry ? 0 : -1),
    /** To be called when a button gets the focus. */
    reach: setReached,
    press: (event: TargetedKeyboardEvent<HTMLElement>): void => {
      const to = { ArrowDown: entry + 1, ArrowUp: entry - 1, Home: 0, End: count - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.currentTarget.querySelectorAll('button')[Math.max(0, Math.min(to, count - 1))]?.focus();
    },
  };
}

interface ChartOutlineProps {
  readonly index: ChartIndex;
  readonly chosen: string | null;
  readonly onChoose: (stateId: string) => void;
  /** The states that a search found; null without a search. */
  readonly found: readonly string[] | null;
  readonly marks: Marks;
}

const kindWords = {
  atomic: '',
  compound: 'contains states',
  parallel: 'all parts at once',
  final: 'end',
  history: 'history',
};

/** Every state as a button, indented by what it lies in: the chart for keys and for readers of the screen. */
function ChartOutline({ index, chosen, onChoose, found, marks }: ChartOutlineProps) {
  const shown = found === null ? [...index.states.values()] : found.flatMap((id) => index.states.get(id) ?? []);
  const keys = useArrowKeys(shown.length);
  return (
    <ul class="outline plain" aria-label="States" onKeyDown={keys.press}>
      {shown.map(({ state, depth }, at) => (
        <li key={state.id}>
          <button
            type="button"
            class="outline-state"
            data-depth={Math.min(depth, 5)}
            data-lit={marks.states.get(state.id)?.includes('lit') === true}
            aria-pressed={state.id === chosen}
            tabIndex={keys.tabIndex(at)}
            onFocus={() => keys.reach(at)}
            onClick={() => onChoose(state.id)}
          >
            <span>{state.name}</span>
            <span class="quiet">{kindWords[state.kind]}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface StateCardProps {
  readonly index: ChartIndex;
  readonly stateId: string;
  readonly onChoose: (stateId: string) => void;
}

const joined = (names: readonly string[]): string => names.join(', ');

/** The purpose of a state, its effects, and the transitions out of it. */
function StateCard({ index, stateId, onChoose }: StateCardProps) {
  const state = index.states.get(stateId)?.state;
  if (state === undefined) return null;
  const { description, invokes, entry, exit, journal, transitions } = state;
  const facts: (readonly [string, string])[] = [
    ['Runs', joined(invokes.map(({ id, actor }) => (id === actor ? id : `${id} (${actor})`)))],
    ['On entry', joined(entry)],
    ['On exit', joined(exit)],
    ['Journal on entry', joined(journal)],
  ];
  return (
    <section class="panel" aria-label="Chosen state">
      <p class="overline">{state.kind === 'atomic' ? 'State' : `State, ${state.kind}`}</p>
      <h2>{state.name}</h2>
      {description !== null && <p>{description}</p>}
      <Facts of={facts.filter(([, words]) => words !== '')} />
      {transitions.length > 0 && (
        <ul class="plain lined">
          {transitions.map((transition) => (
            <Leaving key={transition.id} index={index} transition={transition} onChoose={onChoose} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface LeavingProps {
  readonly index: ChartIndex;
  readonly transition: ChartTransition;
  readonly onChoose: (stateId: string) => void;
}

const Leaving = ({ index, transition: { label, guard, actions, targets, journal }, onChoose }: LeavingProps) => (
  <li>
    <span class="line-name">
      {label}
      {guard !== null && <span class="guard-word"> [{guard}]</span>}
    </span>
    <span>
      {targets.length === 0 && <span class="quiet">stays</span>}
      {targets.map((target) => (
        <button key={target} type="button" class="link" onClick={() => onChoose(target)}>
          {shortName(index, target)}
        </button>
      ))}
    </span>
    {actions.length + journal.length > 0 && (
      <span class="quiet leaving-more">
        {joined(actions)}
        {actions.length > 0 && journal.length > 0 ? ' · ' : ''}
        {journal.length > 0 && `journal ${joined([...new Set(journal)])}`}
      </span>
    )}
  </li>
);

const wordsIn = ({ id, description, invokes, entry, exit, journal, transitions }: ChartState): string =>
  [
    id,
    description ?? '',
    ...invokes.flatMap((invoke) => [invoke.id, invoke.actor]),
    ...entry,
    ...exit,
    ...journal,
    ...transitions.flatMap(({ event, label, guard, actions, journal: types }) => [
      event,
      label,
      guard ?? '',
      ...actions,
      ...types,
    ]),
  ]
    .join('\n')
    .toLowerCase();

/**
 * The states that have all words of a search in a name, an event, a guard, an action, an effect or a description. Those with all
 * words in their own name come first, then in the order of the chart.
 */
export function statesWith(index: ChartIndex, search: string): readonly string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const isIn = (text: string): boolean => words.every((word) => text.includes(word));
  const found = [...index.states.values()].map(({ state }) => state).filter((state) => isIn(wordsIn(state)));
  const isNamed = ({ name }: ChartState): boolean => isIn(name.toLowerCase());
  return [...found.filter(isNamed), ...found.filter((state) => !isNamed(state))].map(({ id }) => id);
}
