import type { Chart, ChartDrawing, ChartState, ChartTransition, DrawnChart } from '../../contract/lifecycles/charts.ts';
import { svgOf } from '../../visualizer/drawing/svg.ts';
import { themes } from '../../visualizer/drawing/theme.ts';
import { useAction } from '../host/use-remote.ts';
import { Failed } from '../parts/notice.tsx';
import { saveFile } from '../parts/save-file.ts';

type Made = (drawn: DrawnChart) => string | Promise<Blob>;

const formats: readonly (readonly [name: string, ending: string, type: string, make: Made])[] = [
  ['SVG', 'svg', 'image/svg+xml', ({ drawing }) => svgNow(drawing)],
  ['PNG', 'png', 'image/png', ({ drawing }) => pngOf(drawing)],
  ['Mermaid', 'mmd', 'text/plain', ({ chart }) => mermaidOf(chart)],
  ['JSON', 'json', 'application/json', ({ chart }) => `${JSON.stringify(chart, null, 2)}\n`],
];

/** Saves the chart: the pictures as it is shown, the other formats as a whole. */
export function ExportMenu({ drawn }: { readonly drawn: DrawnChart }) {
  const { action, run } = useAction();
  const save = (ending: string, type: string, make: Made) =>
    run(async () => {
      const made = make(drawn);
      const blob = typeof made === 'string' ? new Blob([made], { type }) : await made;
      saveFile(blob, `${drawn.chart.machineId}.${ending}`);
    });
  return (
    <>
      <div class="actions" role="group" aria-label="Save the chart">
        <span class="quiet">Save as</span>
        {formats.map(([name, ending, type, make]) => (
          <button key={name} type="button" class="small" onClick={() => save(ending, type, make)}>
            {name}
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

/** The drawing as an SVG text in the colors of the page. */
const svgNow = (drawing: ChartDrawing): string => svgOf(drawing, themeNow());

/** Pixels for each px of the drawing, so that it is sharp in print. */
const pngScale = 2;

/** The drawing as a PNG. Rejects where the browser cannot draw it. */
async function pngOf(drawing: ChartDrawing): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svgNow(drawing)], { type: 'image/svg+xml' }));
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
