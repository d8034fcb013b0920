import { useMemo } from 'preact/hooks';
import { useHost } from '../../../console/host/session.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { RemotePart } from '../../../console/parts/notice.tsx';
import type { ChartCoverage, DrawnChart } from '../../../contract/lifecycles/charts.ts';
import type { Marks } from '../../../visualizer/drawing/svg.ts';
import { ChartExplorer } from './chart-explorer.tsx';
import { activeWith, type ChartIndex, chartIndex, shortName } from './chart-index.ts';
import { type Step, stepsOf } from './path.ts';
import { readWalks } from './walks.ts';
import { isKind, stateName } from './words.ts';

/** The takers of a part of a chart: the tests and an actor of this host, one of them, or neither. */
type TakenBy = 'both' | 'tests' | 'host' | 'never';

/** A state or a transition, with how many walks of the tests and how many actors passed it. */
interface CoveredPart {
  readonly id: string;
  readonly of: 'state' | 'transition';
  readonly tests: number;
  readonly actors: number;
  readonly by: TakenBy;
}

/** Every state and every transition of a chart, in its order, with who took it. */
export function coveredParts(
  index: ChartIndex,
  tests: Pick<ChartCoverage, 'states' | 'transitions'>,
  actors: readonly (readonly Step[])[],
): readonly CoveredPart[] {
  const walks = new Map([...tests.states, ...tests.transitions].map(({ id, walks: count }) => [id, count]));
  const passed = actors.map(
    (steps) =>
      new Set([
        ...activeWith(index, [...steps.flatMap(({ states }) => states)]),
        ...steps.flatMap(({ taken }) => taken),
      ]),
  );
  const part = (id: string, of: CoveredPart['of']): CoveredPart => {
    const [tested, here] = [walks.get(id) ?? 0, passed.filter((ids) => ids.has(id)).length];
    const by = tested > 0 ? (here > 0 ? 'both' : 'tests') : here > 0 ? 'host' : 'never';
    return { id, of, tests: tested, actors: here, by };
  };
  return [
    ...[...index.states.keys()].filter((id) => id !== index.chart.root.id).map((id) => part(id, 'state')),
    ...[...index.transitions.keys()].map((id) => part(id, 'transition')),
  ];
}

/** A sign for each, so that color is not the only difference, and its meaning. */
const shown: Readonly<Record<TakenBy, readonly [sign: string, words: string]>> = {
  both: ['●', 'By tests and on this host'],
  tests: ['◐', 'By tests only'],
  host: ['◑', 'On this host only'],
  never: ['○', 'By neither'],
};

const kinds = Object.keys(shown) as readonly TakenBy[];

const noteOf = ({ by, tests, actors }: CoveredPart): string =>
  [shown[by][0], ...(tests > 0 ? [`tests ${tests}`] : []), ...(actors > 0 ? [`here ${actors}`] : [])].join(' ');

/** Arrows by who took them, with a sign and the counts; states by a sign. */
export function coverageMarks(parts: readonly CoveredPart[]): Marks {
  const classes = (of: CoveredPart['of']) =>
    new Map(parts.filter((part) => part.of === of).map(({ id, by }) => [id, `cover-${by}`]));
  return {
    states: classes('state'),
    transitions: classes('transition'),
    notes: new Map(parts.map((part) => [part.id, part.of === 'state' ? shown[part.by][0] : noteOf(part)])),
  };
}

/**
 * The states and arrows of a chart that the tests of this version have taken, and those that the actors of this host have
 * taken.
 */
export function CoverageView({ drawn }: { readonly drawn: DrawnChart }) {
  const host = useHost();
  const { machineId } = drawn.chart;
  const index = useMemo(() => chartIndex(drawn.chart), [drawn]);
  const { remote, reload } = useRemote(
    async () => ({
      tests: await host.lifecycles.chartCoverage(machineId),
      taken: isKind(machineId) ? await readWalks(host, machineId) : { walks: [], isAll: true },
    }),
    [host, machineId],
  );
  return (
    <RemotePart of={remote} what="the coverage" onRetry={reload}>
      {({ tests, taken: { walks, isAll } }) => (
        <OnChart
          drawn={drawn}
          index={index}
          tests={tests}
          actors={walks.map((walk) => stepsOf(index, walk))}
          actorWords={`${isAll ? '' : 'The newest '}${walks.length} ${walks.length === 1 ? 'actor' : 'actors'} of this host`}
        />
      )}
    </RemotePart>
  );
}

interface OnChartProps {
  readonly drawn: DrawnChart;
  readonly index: ChartIndex;
  readonly tests: ChartCoverage;
  readonly actors: readonly (readonly Step[])[];
  readonly actorWords: string;
}

function OnChart({ drawn, index, tests, actors, actorWords }: OnChartProps) {
  const parts = useMemo(() => coveredParts(index, tests, actors), [index, tests, actors]);
  const marks = useMemo(() => coverageMarks(parts), [parts]);
  const here = parts.filter((part) => part.actors > 0);
  const way = useMemo(
    () => ({
      transitions: here.filter(({ of }) => of === 'transition').map(({ id }) => id),
      states: here.filter(({ of }) => of === 'state').map(({ id }) => id),
    }),
    [parts],
  );
  return (
    <ChartExplorer
      drawn={drawn}
      index={index}
      marks={marks}
      way={way}
      wayWords="what was taken here"
      beside={
        <section class="panel" aria-label="Coverage">
          <table class="times">
            <caption>Taken at least once</caption>
            <thead>
              <tr>
                <th scope="col">By</th>
                <th scope="col" class="number">
                  Arrows
                </th>
                <th scope="col" class="number">
                  States
                </th>
              </tr>
            </thead>
            <tbody>
              <Share parts={parts} of="tests" words={`${tests.walks} walks of the tests`} />
              <Share parts={parts} of="actors" words={actorWords} />
            </tbody>
          </table>
          <p class="hint">
            A walk of the tests goes through the machine alone, without its effects. The counts on the arrows say how
            many walks and how many actors took them.
          </p>
          {kinds.toReversed().map((by) => (
            <PartList key={by} index={index} by={by} parts={parts.filter((part) => part.by === by)} />
          ))}
        </section>
      }
    />
  );
}

interface ShareProps {
  readonly parts: readonly CoveredPart[];
  readonly of: 'tests' | 'actors';
  readonly words: string;
}

function Share({ parts, of, words }: ShareProps) {
  const share = (kind: CoveredPart['of']): string => {
    const all = parts.filter((part) => part.of === kind);
    return `${all.filter((part) => part[of] > 0).length} of ${all.length}`;
  };
  return (
    <tr>
      <th scope="row">{words}</th>
      <td class="number">{share('transition')}</td>
      <td class="number">{share('state')}</td>
    </tr>
  );
}

interface PartListProps {
  readonly index: ChartIndex;
  readonly by: TakenBy;
  readonly parts: readonly CoveredPart[];
}

function PartList({ index, by, parts }: PartListProps) {
  const [sign, words] = shown[by];
  if (parts.length === 0) {
    return (
      <p class="quiet">
        <span aria-hidden="true">{sign}</span> {words}: nothing
      </p>
    );
  }
  return (
    <details>
      <summary>
        <span class={`cover-sign cover-${by}`} aria-hidden="true">
          {sign}
        </span>{' '}
        {words}: {parts.length}
      </summary>
      <ul class="plain lined">
        {parts.map((part) => (
          <li key={part.id}>
            <PartWords index={index} part={part} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function PartWords({ index, part }: { readonly index: ChartIndex; readonly part: CoveredPart }) {
  const { id, of, tests, actors } = part;
  const leaving = index.transitions.get(id);
  const counts = `tests ${tests}, here ${actors}`;
  if (of === 'state' || leaving === undefined) {
    return (
      <>
        <span class="line-name">{stateName(id)}</span>
        <span class="quiet">{counts}</span>
      </>
    );
  }
  const { transition, source } = leaving;
  const targets = transition.targets.map((target) => shortName(index, target)).join(', ');
  return (
    <>
      <span class="line-name">
        {transition.label}
        {transition.guard !== null && <span class="guard-word"> [{transition.guard}]</span>}
      </span>
      <span class="quiet">{counts}</span>
      <span class="quiet leaving-more">
        from {stateName(source.id)} {targets === '' ? 'stays' : `to ${targets}`}
      </span>
    </>
  );
}
