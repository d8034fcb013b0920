import test from 'ava';
import { createMachine } from 'xstate';
import { mermaidOf } from '../../../../features/lifecycles/console/export-menu.tsx';
import { chartOf } from '../../../../machines/machine-chart.ts';

const script = '<script>alert("1")</script>&lt;b&gt;';

const chart = chartOf(
  createMachine({
    id: `m ${script}`,
    initial: `a ${script}`,
    states: {
      [`a ${script}`]: { on: { [`GO ${script}`]: `b\u202e\u2028 ${script}` } },
      [`b\u202e\u2028 ${script}`]: {},
    },
  }),
);

test('bug: the Mermaid export kept <script> of the names of states', (t) => {
  const text = mermaidOf(chart);
  t.notRegex(text, /[<&]|"[^"\n]*"[^"\n]*"/);
  t.notRegex(text, /[\u202e\u2028]/);
  t.true(text.includes('state "a #lt;script#gt;alert(#quot;1#quot;)#lt;/script#gt;#amp;lt b#amp;gt'), text);
  // Every arrow still has its two ends and one label.
  for (const line of text.split('\n').filter((each) => each.includes('-->'))) {
    t.regex(line, /^ *(\[\*\]|\w+) --> (\[\*\]|\w+)(: ([^:;#]|#\w+;)+)?$/);
  }
});
