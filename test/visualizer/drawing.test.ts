import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { type AnyStateMachine, createMachine } from 'xstate';
import {
  type Area,
  type Arrow,
  type ChartDrawing,
  chart,
  type Line,
  type StateBox,
} from '../../contract/lifecycles/charts.ts';
import { machines } from '../../machines/catalogue.ts';
import { chartOf } from '../../machines/machine-chart.ts';
import { chartChanges } from '../../visualizer/chart-changes.ts';
import { comparisonSvg } from '../../visualizer/drawing/comparison.ts';
import { chartFiles, staleFiles } from '../../visualizer/drawing/files.ts';
import { layoutOf } from '../../visualizer/drawing/layout.ts';
import { svgOf } from '../../visualizer/drawing/svg.ts';
import { roomOf, textWidth, wrapped } from '../../visualizer/drawing/text.ts';
import { boxPadding, themes } from '../../visualizer/drawing/theme.ts';
import { sampleMachine } from '../machines/lifecycles/sample-machine.ts';

const everyMachine: readonly AnyStateMachine[] = [...machines, sampleMachine];

const overlap = (one: Area, other: Area): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

const inside = (inner: Area, outer: Area): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const holdsOthers = ({ kind }: StateBox): boolean => kind === 'compound' || kind === 'parallel';

interface Written extends Area {
  readonly what: string;
  readonly lines: readonly Line[];
  readonly arrow: Arrow | null;
}

/** Everything that is written, and the room that no other thing may enter. */
const writtenIn = (drawing: ChartDrawing): Written[] => [
  ...drawing.boxes.map((box) =>
    holdsOthers(box)
      ? {
          what: `the heading of ${box.id}`,
          x: box.x + boxPadding.side,
          y: box.y + boxPadding.top,
          ...roomOf(box.lines),
          lines: box.lines,
          arrow: null,
        }
      : { ...box, what: box.id, arrow: null },
  ),
  ...drawing.signs.map((sign) => ({ ...sign, what: 'a sign', arrow: null })),
  ...drawing.arrows.flatMap((arrow) =>
    arrow.label === null ? [] : [{ ...arrow.label, what: `the label of ${arrow.transitions.join()}`, arrow }],
  ),
];

/** The parts of an arrow as thin areas, without its ends, which touch what they connect. */
const linesOf = ({ points }: Arrow): Area[] =>
  points.slice(1).flatMap((to, index) => {
    const from = points[index];
    if (from === undefined) return [];
    const x = Math.min(from.x, to.x);
    const y = Math.min(from.y, to.y);
    const flat = from.y === to.y;
    const width = Math.abs(from.x - to.x);
    const height = Math.abs(from.y - to.y);
    return [flat ? { x: x + 1, y, width: width - 2, height: 0.1 } : { x, y: y + 1, width: 0.1, height: height - 2 }];
  });

const drawnFolder = fileURLToPath(new URL('../../docs/charts', import.meta.url));

/** The files of all machines: to lay a machine out takes seconds, so that this is done once. */
const files = await chartFiles(machines.map(chartOf));

const drawn = await Promise.all(
  everyMachine.map(async (machine) => {
    const chart = chartOf(machine);
    const file = files.get(`${machine.id}.drawing.json`);
    const drawing: ChartDrawing = file === undefined ? await layoutOf(chart) : JSON.parse(file);
    return { machine, chart, drawing };
  }),
);

for (const { machine, chart, drawing } of drawn) {
  test(`in the drawing of ${machine.id} nothing covers or crosses what is written`, (t) => {
    const written = writtenIn(drawing);
    const page = { x: 0, y: 0, width: drawing.width, height: drawing.height };
    written.forEach((one, index) => {
      const room = roomOf(one.lines);
      t.true(room.width <= one.width && room.height <= one.height, `${one.what} has room for its text`);
      t.true(inside(one, page), `${one.what} is on the page`);
      for (const other of written.slice(index + 1)) t.false(overlap(one, other), `${one.what} over ${other.what}`);
      for (const arrow of drawing.arrows.filter((candidate) => candidate !== one.arrow))
        for (const line of linesOf(arrow))
          t.false(overlap(one, line), `${arrow.transitions.join()} runs through ${one.what}`);
    });
  });

  test(`in the drawing of ${machine.id} states lie inside parents and beside siblings`, (t) => {
    const { boxes } = drawing;
    const parentOf = (id: string): string => id.slice(0, id.lastIndexOf('.'));
    for (const box of boxes.slice(1)) {
      const parent = boxes.find(({ id }) => id === parentOf(box.id));
      t.true(parent !== undefined && inside(box, parent), box.id);
      for (const other of boxes)
        if (other !== box && parentOf(other.id) === parentOf(box.id))
          t.false(overlap(box, other), `${box.id} over ${other.id}`);
    }
  });

  test(`the drawing of ${machine.id} leads each transition to its target, with its id`, (t) => {
    const svg = svgOf(drawing, themes.light);
    for (const box of drawing.boxes) t.true(svg.includes(`data-state="${box.id}"`), box.id);
    const drawn = drawing.arrows.flatMap(({ transitions }) => transitions);
    const visit = (state: typeof chart.root): void => {
      for (const transition of state.transitions)
        t.is(drawn.filter((id) => id === transition.id).length, transition.targets.length, transition.id);
      state.states.forEach(visit);
    };
    visit(chart.root);
    for (const { points } of drawing.arrows) t.true(points.length >= 2);
  });

  test(`the main way of ${machine.id} leads down or to the right without a bend`, (t) => {
    for (const { points } of drawing.arrows.filter(({ onMainWay }) => onMainWay)) {
      t.is(points.length, 2);
      const [from, to] = points;
      t.true(from !== undefined && to !== undefined && to.x >= from.x && to.y >= from.y);
    }
  });
}

test('both themes draw the same lines and differ only in colors', (t) => {
  const shapes = (svg: string): string => svg.replace(/<style>[\s\S]*<\/style>/, '');
  for (const { drawing } of drawn) {
    const [light, dark] = [svgOf(drawing, themes.light), svgOf(drawing, themes.dark)];
    t.not(light, dark);
    t.is(shapes(light), shapes(dark));
  }
});

test('text is escaped, so that a name cannot break the drawing', (t) => {
  for (const { drawing } of drawn) {
    const svg = svgOf({ ...drawing, machineId: '<a & "b">', machineVersion: '1' }, themes.light);
    t.true(svg.includes('<title>&lt;a &amp; &quot;b&quot;&gt;, version 1</title>'));
  }
});

test('widths follow the metrics of Helvetica', (t) => {
  t.is(textWidth('Hello', 'guard'), ((722 + 556 + 222 + 222 + 556) * 12) / 1000);
  t.is(textWidth('Hello', 'event'), ((722 + 556 + 278 + 278 + 611) * 12) / 1000);
  t.is(textWidth('→', 'guard'), 12);
});

test('lines break at spaces and after dots, never behind the stroke before an action', (t) => {
  const texts = (text: string, width: number): string[] =>
    wrapped([{ text, role: 'action' }], width).map(({ spans }) => spans.map((span) => span.text).join(''));
  t.deepEqual(texts('one two three', 45), ['one two', 'three']);
  t.deepEqual(texts('again.and.again', 40), ['again.', 'and.', 'again']);
  t.deepEqual(texts('stop / emit', 30), ['stop', '/ emit']);
  t.deepEqual(texts('unbreakable', 5), ['unbreakable']);
});

test('every drawing matches its machine', async (t) => {
  t.deepEqual(await staleFiles(drawnFolder, files), [], 'run `npm run charts` and review what changed');
});

test('every machine has its chart as data and a drawing in both themes, and the page shows them', async (t) => {
  const readme = await readFile(join(drawnFolder, 'README.md'), 'utf8');
  for (const { id } of machines) {
    const stored = chart.parse(JSON.parse(await readFile(join(drawnFolder, `${id}.json`), 'utf8')));
    t.is(stored.machineId, id);
    for (const name of [`${id}.light.svg`, `${id}.dark.svg`]) {
      t.regex(await readFile(join(drawnFolder, name), 'utf8'), /^<svg [\s\S]*<\/svg>\n$/);
      t.true(readme.includes(name));
    }
  }
});

test('a comparison is one picture of both versions, with what changed by color, strokes and sign', async (t) => {
  const order = (states: Record<string, object>) => chartOf(createMachine({ id: 'order', initial: 'open', states }));
  const older = order({ open: { on: { pay: 'paid' } }, paid: {} });
  const now = order({ open: { on: { pay: 'paid', drop: 'dropped' } }, paid: {}, dropped: {} });
  const [before, after] = await Promise.all([layoutOf(older, 1), layoutOf(now, 1)]);
  const versions = [
    { name: '<0.2.0>', drawing: before },
    { name: 'This host', drawing: after },
  ] as const;
  const svg = comparisonSvg(...versions, chartChanges(older, now), themes.light);
  t.is(svg.match(/data-state="order\.paid"/g)?.length, 2, 'a state of both is drawn twice');
  t.is(svg.match(/data-state="order\.dropped"/g)?.length, 1);
  t.regex(svg, /class="state [^"]*is-added" data-state="order\.dropped"/);
  t.regex(svg, /class="transition is-added" data-transitions="order\.open#drop#0"/);
  t.regex(svg, /data-sign="\+"><rect [^>]*\/><text [^>]*>\+ added<\/text>/);
  t.true(svg.includes('&lt;0.2.0&gt;'), 'a name is text');
  t.true(Number(/ width="(\d+)"/.exec(svg)?.[1]) > before.width + after.width);
  t.false(svgOf(after, themes.light).includes('is-added'), 'a drawing alone shows no changes');
});
