import path from 'node:path';
import type { StateValue } from 'xstate';
import { type ActorRow, actorRow } from '../../actors/supervision/actor-row.ts';
import { journalEvent } from '../../contract/journal.ts';
import type { Release } from '../../fixtures/golden-store/release.ts';
import { actorMachines } from '../../machines/catalogue.ts';
import { statesOf } from '../../machines/migrations.ts';
import { formatKey, rowKey } from '../../storage/ledger/keys.ts';
import { decodeRow } from '../../storage/ledger/row-codec.ts';
import { withRawRows } from '../../test/storage/ledger/scratch.ts';

/** Describes the release that this program is, from its stores: folders below `roots`, by their names. */
export async function describeRelease(roots: string, stores: Release['stores']): Promise<Release> {
  const rows: ActorRow[] = [];
  let format = 0;
  for (const [state, { id }] of Object.entries(stores)) {
    await withRawRows(path.join(roots, state, 'ledger'), async (raw) => {
      format = Number(await raw.get(formatKey));
      const key = rowKey('snapshot', id);
      const row = await raw.get(key);
      if (row !== undefined) rows.push(actorRow.parse(decodeRow(key, row)));
    });
  }
  const charts = actorMachines.flatMap((machine): [string, Release['charts'][string]][] => {
    const row = rows.findLast(({ machineId }) => machineId === machine.id);
    // No actor follows the chart of a command.
    if (row === undefined) return [];
    const { context } = row.snapshot as Pick<Release['charts'][string], 'context'>;
    const resolved = (state: string) =>
      machine.resolveState({ value: valueAt(state), context: context as never }).value;
    const states = statesOf(machine).map((state): [string, StateValue] => [state, resolved(state)]);
    const chart = { version: row.machineVersion, states: Object.fromEntries(states), context, input: row.input };
    return [[machine.id, chart]];
  });
  const cutAt = Math.max(...rows.map(({ updatedAt }) => updatedAt));
  const eventTypes = journalEvent.options.map(({ shape }): string => shape.type.value).sort();
  return { format, eventTypes, cutAt, stores, charts: Object.fromEntries(charts) };
}

const valueAt = (state: string): StateValue =>
  state.split('.').reduceRight<StateValue>((inner, name) => (inner === '' ? name : { [name]: inner }), '');
