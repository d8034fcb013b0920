import type { Chart, ChartState, ChartTransition } from '../../../../contract/lifecycles/charts.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** An identifier of XML: the ids of SCXML have the type `xsd:ID`. */
const idOf = (id: string): string => id.replaceAll(/[^\w.-]/g, '_').replace(/^(?=[^A-Za-z_])/, '_');

/** The names that SCXML has for the events of the platform. */
const eventOf = (event: string): string =>
  event
    .replace(/^xstate\.done\.actor\./, 'done.invoke.')
    .replace(/^xstate\.error\.actor\./, 'error.platform.')
    .replace(/^xstate\.done\.state\./, 'done.state.');

const comment = (text: string): string => `<!-- ${escaped(text).replaceAll('--', '- -')} -->`;

/**
 * A chart as SCXML 1.0 (W3C, 2015). What a guard or an action does is code of the machine, so a guard stands as a condition
 * with its name, and an action as a comment.
 */
export function scxmlOf(chart: Chart): string {
  const lines: string[] = ['<?xml version="1.0" encoding="UTF-8"?>'];
  const add = (depth: number, text: string): void => void lines.push(`${'  '.repeat(depth)}${text}`);
  const actions = (depth: number, names: readonly string[]): void => {
    for (const name of names) add(depth, comment(`action ${name}`));
  };
  const transition = (depth: number, { event, guard, targets, actions: names }: ChartTransition): void => {
    const attributes = [
      event === '' ? '' : ` event="${escaped(eventOf(event))}"`,
      guard === null ? '' : ` cond="${escaped(guard)}"`,
      targets.length === 0 ? '' : ` target="${targets.map(idOf).join(' ')}"`,
    ].join('');
    if (names.length === 0) {
      add(depth, `<transition${attributes}/>`);
      return;
    }
    add(depth, `<transition${attributes}>`);
    actions(depth + 1, names);
    add(depth, '</transition>');
  };
  const content = (state: ChartState, depth: number): void => {
    if (state.description !== null) add(depth, comment(state.description));
    for (const [tag, names] of [['onentry', state.entry] as const, ['onexit', state.exit] as const]) {
      if (names.length === 0) continue;
      add(depth, `<${tag}>`);
      actions(depth + 1, names);
      add(depth, `</${tag}>`);
    }
    for (const { id, actor } of state.invokes) add(depth, `<invoke id="${idOf(id)}" src="${escaped(actor)}"/>`);
    for (const each of state.transitions) transition(depth, each);
    for (const child of state.states) element(child, depth);
  };
  const element = (state: ChartState, depth: number): void => {
    const tag = { atomic: 'state', compound: 'state', parallel: 'parallel', final: 'final', history: 'history' }[
      state.kind
    ];
    const initial = state.initial === null ? '' : ` initial="${idOf(state.initial)}"`;
    add(depth, `<${tag} id="${idOf(state.id)}"${initial}>`);
    content(state, depth + 1);
    add(depth, `</${tag}>`);
  };
  add(
    0,
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" name="${escaped(chart.machineId)}" initial="${idOf(chart.root.id)}">`,
  );
  element(chart.root, 1);
  add(0, '</scxml>');
  return `${lines.join('\n')}\n`;
}
