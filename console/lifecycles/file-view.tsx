import { useMemo, useState } from 'preact/hooks';
import type { Chart } from '../../contract/lifecycles/charts.ts';
import { useDeed } from '../host/use-remote.ts';
import { DropFile } from '../parts/drop-file.tsx';
import { Facts, Identity } from '../parts/facts.tsx';
import { Failed, Loading } from '../parts/notice.tsx';
import { CheckList } from '../verification/check-list.tsx';
import { wordsOf } from '../words/codes.ts';
import { counted } from '../words/numbers.ts';
import { type OpenedFile, openFile } from './opened-file.ts';
import { PathDesk } from './path-desk.tsx';
import { PlainChart } from './plain-chart.tsx';
import { scrubber } from './scrub-bar.tsx';
import { WhatIf } from './what-if.tsx';

/** The chart of studies as it was when this page was built, so that a bundle is shown without a host. */
const chartOfStudies = async (): Promise<Chart> =>
  (await import('../../docs/charts/runtime.json', { with: { type: 'json' } })).default as unknown as Chart;

/** Opens a machine or a bundle from a file. It asks the host for nothing. */
export function FileView() {
  const { deed, run } = useDeed();
  const [opened, setOpened] = useState<OpenedFile | null>(null);
  const [name, setName] = useState('');
  const [leftOut, setLeftOut] = useState(0);
  const take = ([file, ...others]: readonly File[]) =>
    run(async () => {
      setOpened(null);
      setLeftOut(others.length);
      if (file === undefined) return;
      setName(file.name);
      setOpened(await openFile(file, chartOfStudies));
    });
  return (
    <div class="page wide">
      <p class="crumb">
        <a href="#/lifecycles">Lifecycles</a>
      </p>
      <h1>Open a file</h1>
      <p>
        A machine of XState 5 as JSON, a chart that was saved here, or the bundle of a study. The file stays in this
        page, and no host is asked.
      </p>
      <DropFile words="open" accept=".json,.tar,application/json,application/x-tar" onFiles={take} />
      {leftOut > 0 && (
        <p class="hint">
          Only {name} was opened, and {counted(leftOut, 'other file was', 'other files were')} left out: one at a time.
        </p>
      )}
      {deed.state === 'busy' && <Loading what={name} />}
      {deed.state === 'failed' && <Failed error={deed.error} />}
      {deed.state === 'idle' && opened?.kind === 'machine' && <Machine key={name} opened={opened} />}
      {deed.state === 'idle' && opened?.kind === 'bundle' && <Bundle key={name} opened={opened} />}
    </div>
  );
}

function Machine({ opened: { drawn } }: { readonly opened: Extract<OpenedFile, { kind: 'machine' }> }) {
  const [isSandbox, setSandbox] = useState(false);
  return (
    <>
      <h2>
        {drawn.chart.machineId} <span class="quiet">version {drawn.chart.machineVersion}</span>
      </h2>
      <div class="deeds">
        <button type="button" aria-pressed={isSandbox} onClick={() => setSandbox(!isSandbox)}>
          What if
        </button>
      </div>
      {isSandbox ? <WhatIf drawn={drawn} from={null} /> : <PlainChart drawn={drawn} />}
    </>
  );
}

function Bundle({ opened }: { readonly opened: Extract<OpenedFile, { kind: 'bundle' }> }) {
  const { drawn, bundle, path, checks } = opened;
  const { runtimeId, media, journalHead } = bundle.manifest;
  const model = useMemo(() => {
    const made = scrubber();
    made.send({
      type: 'heard',
      page: {
        schema: 'studio.actor-transitions.v1',
        actorId: runtimeId,
        kind: 'runtime',
        isComplete: true,
        recordedFrom: path[0]?.at ?? null,
        transitions: path,
        nextCursor: path.length,
        reachedHead: true,
      },
    });
    return made;
  }, [opened]);
  return (
    <>
      <div class="two-panels">
        <section class="panel" aria-label="The bundle">
          <h2>
            A study that {wordsOf(bundle.lifecycle) === 'terminal' ? 'ended' : `was ${wordsOf(bundle.lifecycle)}`}
          </h2>
          <Facts
            of={[
              ['Runtime', <Identity id={runtimeId} />],
              ['Journal', `${journalHead.seq} events`],
              ['Media', media.included ? 'in the bundle' : 'not in the bundle'],
              ['Reason', bundle.reason?.message ?? 'none'],
            ]}
          />
        </section>
        <section class="panel" aria-label="Verified in this page">
          <CheckList checks={checks} />
        </section>
      </div>
      <p class="hint">
        A bundle has the journal of a study and not its transitions. The path is what the journal tells: how long the
        study waited for its worker, and restarts, are not in it.
      </p>
      <PathDesk drawn={drawn} model={model} events={bundle.events} isLive={false} />
    </>
  );
}
