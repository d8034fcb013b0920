import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { TruePeak } from '../../../kinds/sound/true-peak.ts';

const ffmpeg = async (...args: readonly string[]): Promise<Buffer> => {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const;
  return (await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...args], options)).stdout;
};

/** The highest true peak that ffmpeg's `ebur128` prints over a sound, and the time of the frame that reached it first. */
async function printedBy(graph: string): Promise<{ readonly value: number; readonly atMs: number }> {
  const print = 'ebur128=metadata=1:peak=true:framelog=verbose,ametadata=print:key=lavfi.r128.true_peak:file=-';
  const text = (await ffmpeg('-filter_complex', `${graph},${print}`, '-f', 'null', '-')).toString();
  const values = [...text.matchAll(/true_peak=(\S+)/g)].map(([, value]) => Number(value));
  const value = Math.max(...values);
  return { value, atMs: 100 * values.indexOf(value) };
}

async function measuredIn(graph: string, pieceBytes: number): Promise<TruePeak> {
  const bytes = await ffmpeg('-filter_complex', graph, '-c:a', 'pcm_f32be', '-f', 'au', '-');
  const peak = new TruePeak(0, 0);
  for (let at = 0; at < bytes.length; at += pieceBytes) peak.write(bytes.subarray(at, at + pieceBytes));
  return peak;
}

const drawn = (expression: string, seconds: number, more = '') =>
  `aevalsrc='${expression}':s=48000:d=${seconds}:c=${expression.includes('|') ? 'stereo' : 'mono'}${more}`;

const SOUNDS = {
  'a quarter of the rate, between its samples': drawn('0.5*sin(2*PI*12000*t+PI/4)', 1),
  'noise that grows louder': drawn('t*(random(0)-0.5)|0.3*(random(1)-0.5)', 2.37),
  'one sample': drawn('0.9*eq(n,30000)', 1),
  'the first samples': drawn('0.8*lt(n,3)', 0.3),
  'the last samples': drawn('0.8*gt(n,14390)', 0.3),
  'signs that work against each other': drawn('0.4*if(mod(floor(n/16),2),1,-1)*if(mod(n,2),1,-1)', 0.5),
  'music of three tones with a beat, too loud': drawn(
    '0.9*sin(2*PI*997*t)+0.4*sin(2*PI*6011*t)+0.2*sin(2*PI*19013*t)',
    3,
  ),
  'another rate': drawn('0.7*sin(2*PI*9000*t)*sin(2*PI*t)', 1).replace('s=48000', 's=44100').concat(',aresample=48000'),
  'six channels': `${drawn('0.4*(random(0)-0.5)', 1)},pan=5.1|c0=c0|c3=1.4*c0|c5=0.2*c0`,
  silence: drawn('0', 0.5),
} as const;

for (const [name, graph] of Object.entries(SOUNDS)) {
  test(`the true peak is that of ffmpeg: ${name}`, async (t) => {
    const printed = await printedBy(graph);
    for (const pieceBytes of [65_536, 1000]) {
      const peak = await measuredIn(graph, pieceBytes);
      t.deepEqual(peak.save(), printed.value === 0 ? { value: 0, atMs: 0 } : printed);
    }
  });
}

test('only a true peak above the limit is a fact, at its tenth of a second', async (t) => {
  const range = { startMs: 0, endMs: 1000 };
  const loud = await measuredIn(drawn('if(gt(t,0.55),0.95,0.1)*sin(2*PI*997*t)', 1), 4096);
  const [fact] = loud.facts(range);
  t.is(fact?.startMs, 500);
  t.is(fact?.endMs, 600);
  t.is(fact?.truePeakCentiDbtp, loud.centiDbtp ?? 0);
  const quiet = await measuredIn(drawn('0.5*sin(2*PI*997*t)', 1), 4096);
  t.deepEqual(quiet.facts(range), []);
  t.is(quiet.centiDbtp, -602);
});
