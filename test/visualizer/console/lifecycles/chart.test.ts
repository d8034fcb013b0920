import { readFileSync } from 'node:fs';
import test from 'ava';
import { type ChartDrawing, chartDrawing } from '../../../../contract/lifecycles/chart-drawing.ts';
import { chartOf } from '../../../../machines/lifecycles/machine-chart.ts';
import { studyMachine } from '../../../../machines/study.ts';
import { chartIndex, enteredBy, withAncestors } from '../../../../visualizer/console/lifecycles/chart/chart-index.ts';
import { folded, keptOnWay, wayTo } from '../../../../visualizer/console/lifecycles/chart/folding.ts';
import { statesWith } from '../../../../visualizer/console/lifecycles/chart/search.ts';
import { fitted, opened, revealing, scaled } from '../../../../visualizer/console/lifecycles/chart/viewport.ts';
import { mermaidOf } from '../../../../visualizer/console/lifecycles/exports/mermaid.ts';
import { scxmlOf } from '../../../../visualizer/console/lifecycles/exports/scxml.ts';
import { sampleMachine } from '../../../machines/lifecycles/sample-machine.ts';

const study = chartIndex(chartOf(studyMachine));
const sample = chartIndex(chartOf(sampleMachine));

test('a state is inside those around it, and entering one enters what it begins with', (t) => {
  t.deepEqual(withAncestors(study, 'runtime.running.detect'), ['runtime.running.detect', 'runtime.running', 'runtime']);
  t.deepEqual(enteredBy(study, 'runtime.running'), ['runtime.running.detect']);
  t.deepEqual(enteredBy(sample, 'sample.working.checking'), [
    'sample.working.checking.left.a',
    'sample.working.checking.right.a',
  ]);
});

test('a search finds states by names, events, guards, effects and descriptions, all words together', (t) => {
  t.deepEqual(statesWith(study, 'worker.granted'), ['runtime.accepted']);
  t.deepEqual(statesWith(study, 'hasClaims ASSESS'), ['runtime.running.assess']);
  t.deepEqual(statesWith(study, 'worker nothing'), []);
});

test('the shortest way to a state is found through the states around it', (t) => {
  t.deepEqual(wayTo(study, 'runtime.accepted'), []);
  t.is(wayTo(study, 'runtime.terminal').length, study.chart.mainWay.length - 1);
  t.is(wayTo(study, 'runtime.failed').length, 1);
});

test('a folded drawing has the way alone, takes less room, and keeps order and straight lines', (t) => {
  const file = new URL('../../../../docs/charts/runtime.drawing.json', import.meta.url);
  const whole = chartDrawing.parse(JSON.parse(readFileSync(file, 'utf8')));
  const kept = keptOnWay(study, study.chart.mainWay);
  const drawing: ChartDrawing = folded(whole, kept);
  t.false(drawing.boxes.some(({ id }) => id === 'runtime.failed'));
  t.true(drawing.width < whole.width);
  t.true(drawing.height < whole.height);
  t.is(drawing.dots.length, 2);
  for (const { points } of drawing.arrows) {
    points.slice(1).forEach(({ x, y }, at) => {
      t.true(Math.abs(x - (points[at]?.x ?? 0)) < 0.01 || Math.abs(y - (points[at]?.y ?? 0)) < 0.01);
    });
  }
  for (const box of drawing.boxes.filter(({ kind }) => kind === 'atomic')) {
    const before = whole.boxes.find(({ id }) => id === box.id);
    t.is(Math.round(box.width), Math.round(before?.width ?? 0), `${box.id} has the room of its text`);
  }
});

test('a view opens at a legible size, zooms around a place, and moves only to what is out of sight', (t) => {
  const box = { width: 800, height: 600 };
  t.is(fitted({ width: 945, height: 2845 }, box).scale, 568 / 2845);
  t.true(opened({ width: 945, height: 2845 }, box).scale > 0.8);
  const view = { x: 0, y: 0, scale: 1 };
  t.deepEqual(scaled(view, 2, { x: 100, y: 50 }), { x: -100, y: -50, scale: 2 });
  t.deepEqual(revealing(view, { x: 100, y: 100, width: 50, height: 50 }, box), view);
  t.is(revealing(view, { x: 100, y: 1000, width: 50, height: 50 }, box).y, 275 - 1000);
});

test('a chart is written for Mermaid with its nested and parallel states', (t) => {
  const text = mermaidOf(sample.chart);
  t.true(text.startsWith('stateDiagram-v2\n'));
  t.regex(text, /state sample_working_checking \{\n(?:.*\n)*? +--\n/);
  t.regex(text, /sample_idle --> sample_working: begin/);
  t.regex(text, /\[\*\] --> sample_idle/);
});

test('a chart is written as SCXML whose elements all close and whose targets exist', (t) => {
  const text = scxmlOf(sample.chart);
  const open: string[] = [];
  for (const [, close, tag = '', inner = ''] of text.matchAll(/<(\/?)([a-z]+)((?:[^>"]|"[^"]*")*)>/g)) {
    if (close === '/') t.is(open.pop(), tag);
    else if (!inner.endsWith('/')) open.push(tag);
  }
  t.deepEqual(open, []);
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  for (const [, targets = ''] of text.matchAll(/ target="([^"]+)"/g)) {
    for (const target of targets.split(' ')) t.true(ids.has(target), target);
  }
  t.regex(text, /<transition event="error.platform.download"/);
});
