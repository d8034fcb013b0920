import test from 'ava';
import { exposition } from '../../http/exchange/exposition.ts';

test('metrics are written in the Prometheus text format, with the characters escaped that end a label', (t) => {
  const text = exposition([
    {
      name: 'a_total',
      type: 'counter',
      help: 'what\n\\it counts',
      samples: [{ labels: { path: '/v1/"x"\n\\', status: '200' }, value: 2 }],
    },
    {
      name: 'b_seconds',
      type: 'histogram',
      help: 'b',
      samples: [
        { suffix: '_bucket', labels: { le: '+Inf' }, value: 1 },
        { suffix: '_sum', value: 0.25 },
        { suffix: '_count', value: Number.POSITIVE_INFINITY },
      ],
    },
    { name: 'c', type: 'gauge', help: 'nothing yet', samples: [] },
  ]);
  t.is(
    text,
    String.raw`# HELP a_total what\n\\it counts
# TYPE a_total counter
a_total{path="/v1/\"x\"\n\\",status="200"} 2
# HELP b_seconds b
# TYPE b_seconds histogram
b_seconds_bucket{le="+Inf"} 1
b_seconds_sum 0.25
b_seconds_count +Inf
# HELP c nothing yet
# TYPE c gauge
`,
  );
});
