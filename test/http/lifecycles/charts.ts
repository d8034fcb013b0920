import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { ChartState } from '../../../contract/lifecycles/chart.ts';
import { charts, drawnChart } from '../../../contract/lifecycles/charts.ts';
import { machines } from '../../../machines/catalogue.ts';
import type { HostContract } from '../host/contract.ts';

const path = '/v1/charts';
const stored = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../../docs/charts/${name}`, import.meta.url), 'utf8'));
const idsIn = (state: ChartState): string[] => [state.id, ...state.states.flatMap(idsIn)];

/** The machines of a host as data. */
export function chartsOfHost(contract: HostContract): void {
  test.serial(contract.title('every machine is a chart, the one that the docs show'), async (t) => {
    const listed = contract.granted(t, await contract.get(path), 200, charts).charts;
    t.deepEqual(
      listed.map(({ machineId }) => machineId),
      machines.map(({ id }) => id),
    );
    for (const chart of listed) t.deepEqual(chart, await stored(`${chart.machineId}.json`));
  });

  test.serial(contract.title('a chart comes with its drawing, which has a box for each of its states'), async (t) => {
    for (const { id } of machines) {
      const { chart, drawing } = contract.granted(t, await contract.get(`${path}/${id}`), 200, drawnChart);
      t.deepEqual(drawing, await stored(`${id}.drawing.json`));
      t.is(drawing.machineVersion, chart.machineVersion);
      t.deepEqual(drawing.boxes.map((box) => box.id).sort(), idsIn(chart.root).sort());
    }
    contract.refused(t, await contract.get(`${path}/none`), 'unknown_chart');
    contract.refused(t, await contract.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
  });
}
