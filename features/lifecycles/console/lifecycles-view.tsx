import { useHost } from '../../../console/host/session.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { Field } from '../../../console/parts/field.tsx';
import { RemotePart } from '../../../console/parts/notice.tsx';
import { sentence } from '../../../console/words/sentence.ts';
import type { Chart, ChartState } from '../../../contract/lifecycles/charts.ts';
import { ActorTable } from './actor-list.tsx';
import { lifecycleAddress } from './route.ts';
import { actorFilters, isActorFilter } from './subjects.ts';
import { isKind, kindWords, shownActorKinds } from './words.ts';

interface LifecyclesViewProps {
  readonly kind: string | null;
  readonly state: string | null;
  readonly show: string | null;
}

/** Everything that can happen in the host, as charts, and its present work, as actors on them. */
export function LifecyclesView({ kind, state, show }: LifecyclesViewProps) {
  const filter = show !== null && isActorFilter(show) ? show : 'all';
  const host = useHost();
  const { remote, reload } = useRemote(() => host.lifecycles.charts(), [host]);
  const shownKind = kind !== null && isKind(kind) ? kind : null;
  const go = (change: Partial<LifecyclesViewProps>) => {
    location.hash = lifecycleAddress({ view: 'lifecycles', kind, state, show, ...change });
  };
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/operations">Operations</a>
      </p>
      <h1>Lifecycles</h1>
      <nav class="actions" aria-label="Further views">
        <a class="button" href="#/lifecycles/host">
          The whole host
        </a>
      </nav>
      <div class="split lifecycles">
        <section aria-labelledby="actors">
          <h2 id="actors">Actors</h2>
          <div class="filters">
            <Field label="Kind">
              {(id) => (
                <select
                  id={id}
                  value={shownKind ?? ''}
                  onChange={({ currentTarget: { value } }) => go({ kind: value || null, state: null })}
                >
                  <option value="">All</option>
                  {shownActorKinds.map((each) => (
                    <option key={each} value={each}>
                      {sentence(kindWords[each])}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            {shownKind !== null && remote.state === 'ready' && (
              <StateField
                chart={remote.value.charts.find(({ machineId }) => machineId === shownKind)}
                state={state}
                onState={(chosen) => go({ state: chosen })}
              />
            )}
            <Field label="Show">
              {(id) => (
                <select
                  id={id}
                  value={filter}
                  onChange={({ currentTarget: { value } }) => go({ show: value === 'all' ? null : value })}
                >
                  {Object.entries(actorFilters).map(([value, words]) => (
                    <option key={value} value={value}>
                      {words}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          {filter === 'slow' && (
            <p class="hint">Actors that took more than three times the median of their kind in this list.</p>
          )}
          <ActorTable key={`${shownKind} ${state}`} kind={shownKind} state={state} filter={filter} />
        </section>
        <aside aria-labelledby="charts">
          <h2 id="charts">Charts</h2>
          <RemotePart of={remote} what="the charts" onRetry={reload}>
            {({ charts }) => (
              <ul class="rows tight">
                {charts.map((chart) => (
                  <ChartRow key={chart.machineId} chart={chart} />
                ))}
              </ul>
            )}
          </RemotePart>
        </aside>
      </div>
    </div>
  );
}

const ChartRow = ({ chart: { machineId, machineVersion, root } }: { readonly chart: Chart }) => (
  <li class="row">
    <div class="row-main">
      <a class="row-title" href={lifecycleAddress({ view: 'chart', chartId: machineId, mode: 'drawing', from: null })}>
        {machineId}
      </a>
      <span class="quiet">{root.description ?? `version ${machineVersion}`}</span>
    </div>
  </li>
);

interface StateFieldProps {
  readonly chart: Chart | undefined;
  readonly state: string | null;
  readonly onState: (state: string | null) => void;
}

function StateField({ chart, state, onState }: StateFieldProps) {
  if (chart === undefined) return null;
  const paths = (root: ChartState): string[] =>
    root.states.flatMap((child) => [child.id.slice(chart.root.id.length + 1), ...paths(child)]);
  return (
    <Field label="State">
      {(id) => (
        <select id={id} value={state ?? ''} onChange={({ currentTarget: { value } }) => onState(value || null)}>
          <option value="">All</option>
          {paths(chart.root).map((path) => (
            <option key={path} value={path}>
              {path}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
