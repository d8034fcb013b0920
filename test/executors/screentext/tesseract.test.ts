import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { SAMPLE_RULE } from '../../../executors/screentext/sampled-pictures.ts';
import { openScreenTextReader } from '../../../executors/screentext/tesseract.ts';
import { realClock, watched } from '../evidence/detection-for-tests.ts';
import { launcherFor } from '../process/launcher-for-tests.ts';

/** The longest range of a study. */
const fourHoursMs = 4 * 60 * 60 * 1000;

test('bug: the answers for all pictures of a long study were more than their process may write', async (t) => {
  const { launcher, requests } = watched((await launcherFor(t)).launcher);
  let answered = 0;
  const counting: typeof launcher = {
    ...launcher,
    start: async (request) => {
      const running = await launcher.start(request);
      for (const pipe of running.extra) pipe.on('data', (chunk: Buffer) => (answered += chunk.length));
      return running;
    },
  };
  const lines = [80, 180, 280, 380].map((y) => `drawtext=text=Orders from abroad doubled since spring:x=40:y=${y}`);
  const graph = `color=white:s=640x480,${lines.map((line) => `${line}:fontsize=28`).join()}`;
  const asPgm = ['-frames:v', '1', '-pix_fmt', 'gray', '-c:v', 'pgm', '-f', 'image2pipe', '-'];
  const { stdout } = await promisify(execFile)('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', graph, ...asPgm], {
    encoding: 'buffer',
  });
  const reader = await openScreenTextReader(
    { engine: 'tesseract', languages: ['eng'] },
    { launcher: counting, clock: realClock },
  );
  const open = await reader.open(new AbortController().signal);
  answered = 0;
  t.is((await open.read(stdout)).length, 4);
  await open.close();
  const pictures = fourHoursMs / SAMPLE_RULE.everyMs;
  t.true(pictures * answered <= (requests.at(-1)?.limits.stdoutBytes ?? 0), `${answered} bytes for one picture`);
});
