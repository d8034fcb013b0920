import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useHost } from '../../../console/host/session.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { Field } from '../../../console/parts/field.tsx';
import { Icon, type IconName } from '../../../console/parts/icon.tsx';
import { Notice, RemotePart } from '../../../console/parts/notice.tsx';
import type { ChartReleases, DrawnChart } from '../../../contract/lifecycles/charts.ts';
import {
  type ChartChange,
  changeMarks,
  changesSummary,
  chartChanges,
  partWords,
} from '../../../visualizer/chart-changes.ts';
import { ChartCanvas } from './chart-canvas.tsx';
import { useArrowKeys } from './chart-explorer.tsx';
import { ComparisonExport } from './export-menu.tsx';
import { lifecycleAddress } from './route.ts';

interface VersionsViewProps {
  readonly drawn: DrawnChart;
  /** The release of the address; null for the newest one in which the chart was another one. */
  readonly against: string | null;
}

/** The chart of an earlier release beside that of this host, with what changed. */
export function VersionsView({ drawn, against }: VersionsViewProps) {
  const host = useHost();
  const { machineId } = drawn.chart;
  const { remote, reload } = useRemote(() => host.lifecycles.chartReleases(machineId), [host, machineId]);
  return (
    <RemotePart of={remote} what="the earlier releases" onRetry={reload}>
      {({ releases }) => <Chosen drawn={drawn} releases={releases} against={against ?? releaseToCompare(releases)} />}
    </RemotePart>
  );
}

type Releases = ChartReleases['releases'];

/** The newest release in which the chart was another one; the newest one if it never was. */
export const releaseToCompare = (releases: Releases): string | null =>
  (releases.find(({ isSame }) => !isSame) ?? releases[0])?.release ?? null;

/** A chart that is compared with this one, and what it is called. */
interface Other {
  readonly name: string;
  readonly drawn: DrawnChart;
}

interface ChosenProps {
  readonly drawn: DrawnChart;
  readonly releases: Releases;
  readonly against: string | null;
}

function Chosen({ drawn, releases, against }: ChosenProps) {
  const host = useHost();
  const { machineId } = drawn.chart;
  const [file, setFile] = useState<Other | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const { remote, reload } = useRemote(
    async () => (against === null ? null : await host.lifecycles.chartOfRelease(machineId, against)),
    [host, machineId, against],
  );
  const open = async (given: File | undefined): Promise<void> => {
    if (given === undefined) return;
    const found = drawnChartOf(await given.text());
    const isOther = found !== null && found.chart.machineId !== machineId;
    setFault(found === null ? notAChart : isOther ? `The file has the chart ${found.chart.machineId}.` : null);
    setFile(found === null || isOther ? null : { name: given.name, drawn: found });
  };
  return (
    <>
      <div class="filters">
        <Field label="Compare with">
          {(id) => (
            <select
              id={id}
              value={file === null ? (against ?? '') : ''}
              onChange={({ currentTarget: { value } }) => {
                setFile(null);
                setFault(null);
                if (value !== '') {
                  location.hash = lifecycleAddress({
                    ...{ view: 'chart', chartId: machineId, mode: 'versions', from: null },
                    against: value,
                  });
                }
              }}
            >
              {(file !== null || against === null) && <option value="">{file?.name ?? 'nothing'}</option>}
              {releases.map(({ release, machineVersion, isSame }) => (
                <option key={release} value={release}>
                  {`${release} (version ${machineVersion}${isSame ? ', the same' : ''})`}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="or with a chart of another host">
          {(id) => (
            <input
              id={id}
              type="file"
              accept="application/json,.json"
              onChange={({ currentTarget }) => void open(currentTarget.files?.[0])}
            />
          )}
        </Field>
      </div>
      {fault !== null && (
        <Notice kind="failed" title="The file cannot be compared">
          {fault}
        </Notice>
      )}
      {file !== null ? (
        <Versions drawn={drawn} other={file} />
      ) : (
        <RemotePart of={remote} what="the chart of that release" onRetry={reload}>
          {(released) =>
            released === null || against === null ? (
              <Notice kind="empty" title="No earlier release had this machine" />
            ) : (
              <Versions drawn={drawn} other={{ name: against, drawn: released }} />
            )
          }
        </RemotePart>
      )}
    </>
  );
}

const notAChart =
  'It is not a chart with its drawing. Save the answer of the other host to GET /v1/charts/ and the name of the chart.';

/** The chart with its drawing that a text is; null if it is something else. */
export function drawnChartOf(text: string): DrawnChart | null {
  try {
    const value: Partial<DrawnChart> | null = JSON.parse(text);
    const isChart = value?.schema === 'studio.drawn-chart.v1' && value.chart?.schema === 'studio.chart.v1';
    return isChart && value.drawing?.schema === 'studio.chart-drawing.v1' ? (value as DrawnChart) : null;
  } catch {
    return null;
  }
}

/** The part in view in two charts, and the part that a chart without it shows in its place. */
interface Looked {
  readonly before: string | null;
  readonly after: string | null;
  /** True if a list named it: the charts then move to it. */
  readonly isClose: boolean;
}

/** The innermost state around a part of one chart that the other chart has, by its id there. */
function placeIn(other: ReadonlyMap<string, string>, id: string): string | null {
  const state = id.split('#')[0] ?? id;
  const found = other.get(state);
  if (found !== undefined) return found;
  return state.includes('.') ? placeIn(other, state.slice(0, state.lastIndexOf('.'))) : null;
}

/** Two versions of a chart side by side, and what changed in words. A change that is chosen is brought into sight in both. */
function Versions({ drawn, other }: { readonly drawn: DrawnChart; readonly other: Other }) {
  const found = useMemo(() => chartChanges(other.drawn.chart, drawn.chart), [drawn, other.drawn]);
  const before = useMemo(() => changeMarks(found, 'before'), [found]);
  const after = useMemo(() => changeMarks(found, 'after'), [found]);
  const oldStates = useMemo(() => new Map([...found.sameStates].map(([old, now]) => [now, old])), [found]);
  const [looked, setLooked] = useState<Looked>({ before: null, after: null, isClose: false });
  const chooseNew = (id: string) => setLooked({ before: oldStates.get(id) ?? null, after: id, isClose: false });
  const chooseOld = (id: string) => setLooked({ before: id, after: found.sameStates.get(id) ?? null, isClose: false });
  const [was, is] = found.versions;
  return (
    <div class="versions">
      <Version name={other.name} version={was}>
        <ChartCanvas
          drawing={other.drawn.drawing}
          marks={before}
          chosen={looked.before}
          onChoose={chooseOld}
          inSight={looked.before ?? (looked.after === null ? null : placeIn(oldStates, looked.after))}
          isClose={looked.isClose}
          version={`of ${other.name}`}
        />
      </Version>
      <Version name="This host" version={is}>
        <ChartCanvas
          drawing={drawn.drawing}
          marks={after}
          chosen={looked.after}
          onChoose={chooseNew}
          inSight={looked.after ?? (looked.before === null ? null : placeIn(found.sameStates, looked.before))}
          isClose={looked.isClose}
          version="of this host"
        />
      </Version>
      <section class="changes" aria-label="What changed">
        <h2>
          What changed <span class="quiet">since {other.name}</span>
        </h2>
        <p role="status">{changesSummary(found)}</p>
        {found.changes.length > 0 && (
          <ChangeList
            changes={found.changes}
            chosen={looked}
            onChoose={(change) => setLooked({ before: change.before, after: change.after, isClose: true })}
          />
        )}
        <ComparisonExport
          before={{ name: other.name, drawing: other.drawn.drawing }}
          after={{ name: 'This host', drawing: drawn.drawing }}
          changes={found}
        />
      </section>
    </div>
  );
}

interface VersionProps {
  readonly name: string;
  readonly version: string;
  readonly children: ComponentChildren;
}

const Version = ({ name, version, children }: VersionProps) => (
  <section class="version" aria-label={name}>
    <h2>
      {name} <span class="quiet">version {version}</span>
    </h2>
    {children}
  </section>
);

const icons: Readonly<Record<ChartChange['kind'], IconName>> = { added: 'plus', removed: 'minus', changed: 'pencil' };

interface ChangeListProps {
  readonly changes: readonly ChartChange[];
  readonly chosen: Pick<ChartChange, 'before' | 'after'>;
  readonly onChoose: (change: ChartChange) => void;
}

/** Every change in words, as a button that brings it into sight in both charts. Arrow keys go through them. */
function ChangeList({ changes, chosen, onChoose }: ChangeListProps) {
  const keys = useArrowKeys(changes.length);
  return (
    <ul class="outline plain" aria-label="Changes" onKeyDown={keys.press}>
      {changes.map((change, at) => (
        <li key={at}>
          <button
            type="button"
            class="change"
            data-kind={change.kind}
            tabIndex={keys.tabIndex(at)}
            aria-pressed={change.before === chosen.before && change.after === chosen.after}
            onFocus={() => keys.reach(at)}
            onClick={() => onChoose(change)}
          >
            <Icon name={icons[change.kind]} />
            <span>
              <span class="sr">{change.kind}: </span>
              {change.words}
              {change.parts.map((each) => (
                <span key={each.part} class="quiet change-part">
                  {partWords(each)}
                </span>
              ))}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
