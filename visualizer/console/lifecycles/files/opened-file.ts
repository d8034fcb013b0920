import type { ActorTransitions } from '../../../../contract/lifecycles/actors.ts';
import type { Chart, DrawnChart } from '../../../../contract/lifecycles/charts.ts';
import type { Check } from '../../verification/check.ts';
import { readArchive } from './archive.ts';
import { bundleChecks, type OpenedBundle, readBundle } from './bundle.ts';
import { FileError } from './file-error.ts';
import { pathOfJournal } from './journal-path.ts';
import { chartFromJson } from './machine-file.ts';

/** A machine is text, and a person wrote it. */
const mostMachineBytes = 4 * 1024 * 1024;
/** The engine tries so many arrangements, so that a person waits a second and not ten. */
const arrangements = 2;

export type OpenedFile =
  | { readonly kind: 'machine'; readonly drawn: DrawnChart }
  | {
      readonly kind: 'bundle';
      readonly drawn: DrawnChart;
      readonly bundle: OpenedBundle;
      readonly path: ActorTransitions['transitions'];
      readonly checks: readonly Check[];
    };

/** Places a chart in this page. The engine is loaded now, from the host that served the page. */
async function drawnHere(chart: Chart): Promise<DrawnChart> {
  const { layoutOf } = await import('../../../drawing/layout.ts');
  try {
    return { schema: 'studio.drawn-chart.v1', chart, drawing: await layoutOf(chart, arrangements) };
  } catch (error) {
    throw new FileError(
      'the chart in this file cannot be drawn',
      'Look whether all its states and targets are there',
      error,
    );
  }
}

/** Opens a file of a person: a machine as JSON, or the bundle of a study. `chartOfStudies` is read for a bundle. */
export async function openFile(file: File, chartOfStudies: () => Promise<Chart>): Promise<OpenedFile> {
  const start = new Uint8Array(await file.slice(0, 512).arrayBuffer());
  const isArchive = new TextDecoder('latin1').decode(start.subarray(257, 262)) === 'ustar';
  if (!isArchive) {
    if (file.size > mostMachineBytes) {
      throw new FileError('this file is too large for a machine', 'Give a machine as JSON, or the bundle of a study');
    }
    return { kind: 'machine', drawn: await drawnHere(chartFromJson(await file.text())) };
  }
  const archive = await readArchive(file);
  const bundle = await readBundle(archive);
  const chart = await chartOfStudies();
  return {
    kind: 'bundle',
    drawn: await drawnHere(chart),
    bundle,
    path: pathOfJournal(chart, bundle.events, bundle.lifecycle),
    checks: await bundleChecks(archive, bundle),
  };
}
