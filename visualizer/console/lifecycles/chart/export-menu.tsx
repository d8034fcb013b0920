import type { DrawnChart } from '../../../../contract/lifecycles/charts.ts';
import { useDeed } from '../../host/use-deed.ts';
import { Failed } from '../../parts/notice.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { mermaidOf } from '../exports/mermaid.ts';
import { pngOf, svgNow } from '../exports/picture-file.ts';
import { scxmlOf } from '../exports/scxml.ts';

type Made = (drawn: DrawnChart) => string | Promise<Blob>;

const formats: readonly (readonly [name: string, ending: string, type: string, make: Made])[] = [
  ['SVG', 'svg', 'image/svg+xml', ({ drawing }) => svgNow(drawing)],
  ['PNG', 'png', 'image/png', ({ drawing }) => pngOf(drawing)],
  ['Mermaid', 'mmd', 'text/plain', ({ chart }) => mermaidOf(chart)],
  ['SCXML', 'scxml', 'application/scxml+xml', ({ chart }) => scxmlOf(chart)],
  ['JSON', 'json', 'application/json', ({ chart }) => `${JSON.stringify(chart, null, 2)}\n`],
];

/** Saves the chart: the pictures as it is shown, the other formats as a whole. */
export function ExportMenu({ drawn }: { readonly drawn: DrawnChart }) {
  const { deed, run } = useDeed();
  const save = (ending: string, type: string, make: Made) =>
    run(async () => {
      const made = make(drawn);
      const blob = typeof made === 'string' ? new Blob([made], { type }) : await made;
      saveFile(blob, `${drawn.chart.machineId}.${ending}`);
    });
  return (
    <>
      <div class="deeds" role="group" aria-label="Save the chart">
        <span class="quiet">Save as</span>
        {formats.map(([name, ending, type, make]) => (
          <button key={name} type="button" class="small" onClick={() => save(ending, type, make)}>
            {name}
          </button>
        ))}
      </div>
      {deed.state === 'failed' && <Failed error={deed.error} />}
    </>
  );
}
