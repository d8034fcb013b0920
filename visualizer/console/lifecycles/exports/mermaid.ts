import type { Chart, ChartState, ChartTransition } from '../../../../contract/lifecycles/charts.ts';

/** A name that Mermaid takes: letters, digits and underscores. */
const nameOf = (id: string): string => id.replaceAll(/[^A-Za-z0-9_]/g, '_');

/** What pages that draw Mermaid would take for markup, as its own entity codes: names of a chart are text from outside. */
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
