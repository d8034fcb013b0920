import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StateValue } from 'xstate';
import { type ActorRow, actorRow } from '../../actors/supervision/actor-row.ts';
import { actorMachines } from '../../machines/catalogue.ts';
import type { StoredChart } from '../../machines/migrations/chart-migrations.ts';
import { statesOf } from '../../machines/migrations/chart-states.ts';
import { formatKey, rowKey } from '../../storage/ledger/keys.ts';
import { decodeRow } from '../../storage/ledger/row-codec.ts';
import { withRawRows } from '../../test/storage/ledger/scratch.ts';

/** The charts of a release, as its `charts.json` lists them: what later versions must have migrations for. */
export interface ReleaseCharts {
  /** The store format of the release. */
  readonly format: number;
  readonly charts: Readonly<Record<string, ReleasedChart>>;
}

export interface ReleasedChart {
  readonly version: number;
  /** The value of each state, final states included. */
  readonly states: Readonly<Record<string, StateValue>>;
  /** What the row of one of its actors holds beside the state. */
  readonly context: StoredChart['context'];
  readonly input: unknown;
}

/** Writes the `charts.json` of a folder with the stores of the release that this program is. */
export async function describeRelease(folder: string): Promise<void> {
  const rows: ActorRow[] = [];
  let format = '';
  const stores: Record<string, { id: string }> = JSON.parse(await readFile(path.join(folder, 'stores.json'), 'utf8'));
  for (const [state, { id }] of Object.entries(stores)) {
    await withStore(path.join(folder, `${state}.tar.gz`), (ledger) =>
      withRawRows(ledger, async (raw) => {
        format = String(await raw.get(formatKey));
        rows.push(actorRow.parse(decodeRow(id, (await raw.get(rowKey('snapshot', id))) ?? Buffer.of())));
      }),
    );
  }
  const charts = actorMachines.map((machine): [string, ReleasedChart] => {
    const row = rows.findLast(({ machineId }) => machineId === machine.id);
    if (row === undefined) throw new Error(`no store holds an actor of ${machine.id}`);
    const { context } = row.snapshot as Pick<StoredChart, 'context'>;
    const resolved = (state: string) =>
      machine.resolveState({ value: valueAt(state), context: context as never }).value;
    const states = statesOf(machine).map((state): [string, StateValue] => [state, resolved(state)]);
    const version = Number(machine.version);
    return [machine.id, { version, states: Object.fromEntries(states), context, input: row.input }];
  });
  const release: ReleaseCharts = { format: Number(format), charts: Object.fromEntries(charts) };
  await writeFile(path.join(folder, 'charts.json'), `${JSON.stringify(release)}\n`);
}

const valueAt = (state: string): StateValue =>
  state.split('.').reduceRight<StateValue>((inner, name) => (inner === '' ? name : { [name]: inner }), '');

async function withStore(archive: string, look: (ledger: string) => Promise<void>): Promise<void> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'describe-release-'));
  try {
    await mkdir(path.join(scratch, 'data'));
    execFileSync('tar', ['-xzf', archive, '-C', path.join(scratch, 'data')]);
    await look(path.join(scratch, 'data', 'ledger'));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
