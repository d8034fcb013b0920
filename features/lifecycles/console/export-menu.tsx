import { useAction } from '../../../console/host/use-remote.ts';
import { Failed } from '../../../console/parts/notice.tsx';
import { saveFile } from '../../../console/parts/save-file.ts';
import type { Chart, ChartState, ChartTransition, DrawnChart } from '../../../contract/lifecycles/charts.ts';
import type { ChartChanges } from '../../../visualizer/chart-changes.ts';
import { comparisonSvg, type NamedDrawing } from '../../../visualizer/drawing/comparison.ts';
import { svgOf } from '../../../visualizer/drawing/svg.ts';
import { type Theme, themes } from '../../../visualizer/drawing/theme.ts';

/** A format to save as. `make` gives a text of the type, or the whole file. */
interface Format {
  readonly name: string;
  readonly ending: string;
  readonly type: string;
  readonly make: () => string | Promise<Blob>;
}

/** A picture as SVG and as PNG, in the colors of the page. */
const pictures = (svg: (theme: Theme) => string): readonly Format[] => [
  { name: 'SVG', ending: 'svg', type: 'image/svg+xml', make: () => svg(themeNow()) },
  { name: 'PNG', ending: 'png', type: 'image/png', make: () => pngOf(svg(themeNow())) },
];

/** Saves the chart: the pictures as it is shown, the other formats as a whole. */
export const ExportMenu = ({ drawn: { chart, drawing } }: { readonly drawn: DrawnChart }) => (
  <SaveAs
    what="the chart"
    file={chart.machineId}
    formats={[
      ...pictures((theme) => svgOf(drawing, theme)),
      { name: 'Mermaid', ending: 'mmd', type: 'text/plain', make: () => mermaidOf(chart) },
      { name: 'JSON', ending: 'json', type: 'application/json', make: () => `${JSON.stringify(chart, null, 2)}\n` },
    ]}
  />
);

interface ComparisonExportProps {
  readonly before: NamedDrawing;
  readonly after: NamedDrawing;
  readonly changes: ChartChanges;
}

/** Saves both versions of a chart in one picture, with what changed. */
export const ComparisonExport = ({ before, after, changes }: ComparisonExportProps) => (
  <SaveAs
    what="the comparison"
    file={`${after.drawing.machineId}-since-${before.name}`}
    formats={pictures((theme) => comparisonSvg(before, after, changes, theme))}
  />
);

interface SaveAsProps {
  readonly what: string;
  /** The name of the file, without its ending. */
  readonly file: string;
  readonly formats: readonly Format[];
}

function SaveAs({ what, file, formats }: SaveAsProps) {
  const { action, run } = useAction();
  const save = ({ ending, type, make }: Format) =>
    run(async () => {
      const made = make();
      saveFile(typeof made === 'string' ? new Blob([made], { type }) : await made, `${file}.${ending}`);
    });
  return (
    <>
      <div class="actions" role="group" aria-label={`Save ${what}`}>
        <span class="quiet">Save as</span>
        {formats.map((format) => (
          <button key={format.name} type="button" class="small" onClick={() => save(format)}>
            {format.name}
          </button>
        ))}
      </div>
      {action.state === 'failed' && <Failed error={action.error} />}
    </>
  );
}

/** A name that Mermaid takes: letters, digits and underscores. */
const nameOf = (id: string): string => id.replaceAll(/[^A-Za-z0-9_]/g, '_');

/** The characters that Mermaid reads as markup, with its own entity codes: the names of a chart are external text. */
const entities: Readonly<Record<string, string>> = { '&': '#amp;', '<': '#lt;', '>': '#gt;', '"': '#quot;' };

/** Mermaid ends a label at a line break or a semicolon, and takes a colon for its beginning. Nothing hidden stays, as in a label. */
const plain = (text: string): string =>
  text
    .replaceAll(/[;:\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replaceAll('#', '')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');

const labelOf = ({ label, guard, actions }: ChartTransition): string =>
  plain(`${label}${guard === null ? '' : ` [${guard}]`}${actions.length === 0 ? '' : ` / ${actions.join(', ')}`}`);

/** A chart as a state diagram of Mermaid. It has no invokes and no transitions without a target. */
export function mermaidOf(chart: Chart): string {
  const lines = ['stateDiagram-v2'];
  const transitionsOf = (state: ChartState, indent: string): void => {
    for (const transition of state.transitions) {
      for (const target of transition.targets) {
        lines.push(`${indent}${nameOf(state.id)} --> ${nameOf(target)}: ${labelOf(transition)}`);
      }
    }
    for (const child of state.states) transitionsOf(child, indent);
  };
  const stateLines = (state: ChartState, indent: string): void => {
    lines.push(`${indent}state "${plain(state.name)}" as ${nameOf(state.id)}`);
    if (state.states.length === 0) return;
    lines.push(`${indent}state ${nameOf(state.id)} {`);
    inside(state, `${indent}  `);
    lines.push(`${indent}}`);
  };
  const inside = (state: ChartState, indent: string): void => {
    if (state.initial !== null) lines.push(`${indent}[*] --> ${nameOf(state.initial)}`);
    state.states.forEach((child, at) => {
      if (at > 0 && state.kind === 'parallel') lines.push(`${indent}--`);
      stateLines(child, indent);
      if (child.kind === 'final') lines.push(`${indent}${nameOf(child.id)} --> [*]`);
    });
  };
  stateLines(chart.root, '  ');
  transitionsOf(chart.root, '  ');
  return `${lines.join('\n')}\n`;
}

/** The theme that the page has now, by what the browser computes. */
const themeNow = () =>
  themes[getComputedStyle(document.documentElement).colorScheme === 'dark' || isDarkSystem() ? 'dark' : 'light'];

const isDarkSystem = (): boolean =>
  document.documentElement.dataset.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches;

/** Pixels for each px of the drawing, so that it is sharp in print. */
const pngScale = 2;

/** An SVG as a PNG. Rejects if the browser cannot draw it. */
async function pngOf(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * pngScale;
    canvas.height = image.naturalHeight * pngScale;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error('the browser made no picture')) : resolve(blob)));
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}
